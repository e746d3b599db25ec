import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Peer, startPeer } from '@mostrador/local-platform/peer';
import { createEndpoints, createStores } from '../events/endpoints.ts';
import type { Caller } from '../shared/load/open-load.ts';
import { type Platform, type Store, startPlatform } from '../shared/platform.ts';
import { pin } from '../shared/processes.ts';
import { openAll } from '../shared/stops.ts';

/** All processes and servers of the platform run on one core, and everything else on the other. */
export const generatorCore = 0;
const platformCore = 1;

const otherStores = 4;
const attackingStores = 3;
const leadsEach = 25;

export type AttacksStage = {
  readonly platform: Platform;
  readonly load: Peer;
  readonly receiver: Peer;
  readonly receiverUrl: string;
  /** Stores with a webhook endpoint and leads. */
  readonly others: readonly Caller[];
  /** The session of a person of one of them. */
  readonly cookie: string;
  readonly attackers: readonly Store[];
  stop(): Promise<void>;
};

/** A name whose look-up never ends: the DNS server of this benchmark does not answer. */
export const hangingName = (n: number) => `https://receiver-${n}.hanging.test/`;

export const openAttacksStage = (root: string): Promise<AttacksStage> =>
  openAll(async (stops) => {
    pin(process.pid, generatorCore);
    const dns = createSocket('udp4').bind(0, '127.0.0.1');
    await once(dns, 'listening');
    stops.push(async () => void dns.close());
    const platform = await startPlatform(root, {
      WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
      TRUSTED_PROXIES: '127.0.0.1',
      DNS_SERVERS: `127.0.0.1:${dns.address().port}`,
    });
    stops.push(platform.stop);
    for (const pid of Object.values(platform.processes)) pin(pid, platformCore);
    const start = async (program: string): Promise<Peer> => {
      const peer = await startPeer(join(import.meta.dirname, program));
      stops.push(peer.stop);
      pin(peer.pid, generatorCore);
      return peer;
    };
    const [load, receiver] = [await start('../shared/load/main.ts'), await start('../shared/receiver.ts')];
    const receiverUrl = await receiver.call<string>('listen');
    const stores = await createStores(platform, otherStores + attackingStores);
    const [attackers, beside] = [stores.slice(0, attackingStores), stores.slice(attackingStores)];
    const others: Caller[] = [];
    for (const { key } of beside) others.push({ key, leads: await createLeads(platform, key) });
    await createEndpoints(platform, beside, () => `${receiverUrl}/ok`);
    const cookie = await signIn(platform, beside[0]?.id ?? '');
    return { platform, load, receiver, receiverUrl, others, cookie, attackers };
  });

async function createLeads({ origin }: Platform, key: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < leadsEach; n++) {
    const response = await fetch(`${origin}/integrations/v1/leads`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ana', customer_phone: `55118${10_000_000 + n}` }),
    });
    if (response.status !== 201) throw new Error(await response.text());
    ids.push(((await response.json()) as { id: string }).id);
  }
  return ids;
}

/** Invites a person to the store, and opens their link. Returns the cookie of the session. */
async function signIn({ admin, origin }: Platform, storeId: string): Promise<string> {
  const { login_url } = await admin<{ login_url: string }>(
    `user invite --store ${storeId} --email bia@example.com --name Bia --role owner`,
  );
  const response = await fetch(`${origin}/platform/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token: login_url.split('#')[1] }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}
