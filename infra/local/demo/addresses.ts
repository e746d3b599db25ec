import { showCalendar, showChannel } from '../../../packages/contracts/src/index.ts';
import type { Log } from '../../../packages/kit/src/process/log.ts';
import { createRpcClient } from '../../../packages/kit/src/rpc/client.ts';
import { connectNats, type NatsTls } from '../../../packages/kit/src/rpc/nats.ts';
import { admin } from './admin.ts';
import type { Demo } from './seed.ts';

/** The demo with the addresses of what its first store has connected now; null without a feed or sandbox. */
export async function withAddresses(
  known: Demo,
  options: { natsUrl: string; natsTls?: NatsTls; log: Log },
): Promise<Demo> {
  const { natsUrl, natsTls, log } = options;
  const nats = await connectNats({ url: natsUrl, tls: natsTls, name: 'demo', log });
  try {
    const rpc = createRpcClient({ nats, log });
    const storeId = known.stores[0]?.id;
    const [calendar, channel] = await Promise.all([
      admin(rpc, showCalendar, {}, storeId),
      admin(rpc, showChannel, {}, storeId),
    ]);
    return {
      ...known,
      feed_url: calendar.provider === 'feed' ? calendar.feed_url : null,
      sandbox_url: channel.provider === 'sandbox' ? channel.sandbox_url : null,
    };
  } finally {
    await nats.close();
  }
}
