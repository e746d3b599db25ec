import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import postgres from 'postgres';
import type { LoadJob, LoadResult } from '../shared/load/job.ts';
import { manyAtOnce } from '../shared/many-at-once.ts';
import { type Peer, startPeer } from '../shared/peer.ts';
import { type Platform, type Store, startPlatform } from '../shared/platform.ts';
import type { Named } from '../shared/processes.ts';
import { openAll } from '../shared/stops.ts';

/** A store with a WhatsApp channel, for inbound messages. */
export type Inbound = {
  readonly storeId: string;
  readonly channelId: string;
  readonly phoneNumberId: string;
  readonly appSecret: string;
  readonly platform: { readonly origin: string; readonly path: string };
  readonly bare: { readonly origin: string; readonly path: string };
};

export type MessagingStage = {
  readonly platform: Platform;
  /** Stores with a sandbox channel without effective limits. The platform answers at acceptance. */
  readonly senders: readonly Store[];
  /** A store like the senders, but with the default wait for the channel. */
  readonly waiting: Store;
  readonly inbound: Inbound;
  readonly temporalClient: Peer;
  readonly temporalWorker: Peer;
  readonly processes: Named;
  readonly sql: postgres.Sql;
  load(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
};

const storesAtOnce = 3;

export async function openMessagingStage(root: string, stores: number): Promise<MessagingStage> {
  return await openAll(async (stops) => {
    const platform = await startPlatform(root);
    stops.push(platform.stop);
    const sql = postgres(platform.databaseUrl, { max: 2, onnotice: () => {}, connection: { statement_timeout: 0 } });
    stops.push(() => sql.end());
    const made = await manyAtOnce(stores + 1, (index) => newSender(platform, index < stores), storesAtOnce);
    const [waiting, ...senders] = made.toReversed() as [Store, ...Store[]];
    const channel = await connectWhatsapp(platform);
    await sql.unsafe(`
      create schema bench;
      create table bench.inbound_payloads (like messaging.inbound_payloads including all)`);

    const start = async (name: string, environment: Record<string, string> = {}): Promise<Peer> => {
      const peer = await startPeer(join(import.meta.dirname, `../shared/${name}.ts`), environment);
      stops.push(peer.stop);
      return peer;
    };
    const temporal = { TEMPORAL_ADDRESS: platform.temporalAddress };
    const temporalWorker = await start('baselines/temporal-worker', temporal);
    const temporalClient = await start('baselines/temporal-http', temporal);
    const bare = await start('baselines/webhook-bare-http', {
      DATABASE_URL: platform.databaseUrl,
      STORE_ID: channel.storeId,
      CHANNEL_ID: channel.channelId,
      APP_SECRET: channel.appSecret,
    });
    const load = await start('load/main');
    return {
      platform,
      senders,
      waiting,
      inbound: {
        ...channel,
        platform: { origin: platform.origin, path: `/channels/whatsapp/${channel.channelId}/webhook` },
        bare: { origin: await bare.call<string>('listen'), path: '/webhook' },
      },
      temporalClient,
      temporalWorker,
      processes: {
        ...platform.processes,
        'bare webhook': bare.pid,
        'bare signals, client': temporalClient.pid,
        'bare signals, worker': temporalWorker.pid,
        load: load.pid,
      },
      sql,
      load: (job) => load.call<LoadResult>('run', job),
    };
  });
}

async function newSender(platform: Platform, answeredAtAcceptance: boolean): Promise<Store> {
  const store = await platform.newStore({ calendar: false });
  const limits = '--number-rate 100000 --pair-interval 0 --pair-burst 100000';
  await platform.admin(`channel connect --store ${store.id} --provider sandbox ${limits}`);
  if (answeredAtAcceptance) await platform.admin(`store update --store ${store.id} --message-wait 0`);
  return store;
}

async function connectWhatsapp(platform: Platform) {
  const { id: storeId } = await platform.newStore({ calendar: false });
  const phoneNumberId = '106540352242922';
  const appSecret = randomUUID();
  const { channel_id: channelId } = await platform.admin<{ channel_id: string }>(
    // The benchmark sends nothing over this channel, so the API address is a closed port.
    `channel connect --store ${storeId} --provider whatsapp_cloud --phone-number-id ${phoneNumberId} --phone 15550783881 --api-url http://127.0.0.1:9`,
    { access_token: randomUUID(), app_secret: appSecret, verify_token: randomUUID() },
  );
  return { storeId, channelId, phoneNumberId, appSecret };
}
