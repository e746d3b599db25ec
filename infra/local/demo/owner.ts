import { createLoginLink, inviteUser, listUsers } from '../../../packages/contracts/src/index.ts';
import type { Log } from '../../../packages/kit/src/process/log.ts';
import { createRpcClient } from '../../../packages/kit/src/rpc/client.ts';
import { connectNats, type NatsTls } from '../../../packages/kit/src/rpc/nats.ts';
import { admin } from './admin.ts';
import { demoOwner } from './data.ts';

/** Makes a login link for the owner of the demo store. Creates the owner when the demo is older than they are. */
export async function ownerLoginUrl(
  storeId: string,
  options: { natsUrl: string; natsTls?: NatsTls; log: Log },
): Promise<string> {
  const nats = await connectNats({ url: options.natsUrl, tls: options.natsTls, name: 'demo', log: options.log });
  try {
    const rpc = createRpcClient({ nats, log: options.log });
    const { users } = await admin(rpc, listUsers, { body: { store_id: storeId } });
    const isKnown = users.some(({ email }) => email === demoOwner.email);
    const { login_url } = isKnown
      ? await admin(rpc, createLoginLink, { body: { store_id: storeId, email: demoOwner.email } })
      : await admin(rpc, inviteUser, { body: { store_id: storeId, ...demoOwner } });
    return login_url;
  } finally {
    await nats.close();
  }
}
