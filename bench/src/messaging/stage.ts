import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Peer, startPeer } from '@mostrador/local-platform/peer';
import postgres from 'postgres';
import { untilQuiet } from '../shared/backlog.ts';
import type { LoadJob, LoadResult } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { cpuMsEach, cpuOfAll, type Named, parentOf } from '../shared/processes.ts';
import { openAll } from '../shared/stops.ts';
import { untilStored, webhooksFrom } from './webhooks.ts';

/** A store with a WhatsApp channel, whose customers have all written to it, so that it may answer them. */
export type MessagingStore = {
  readonly id: string;
  readonly key: string;
  readonly channelId: string;
  readonly phoneNumberId: string;
  readonly appSecret: string;
  readonly leads: readonly { readonly id: string; readonly phone: string }[];
};

export type MessagingStage = {
  readonly platform: Platform;
  /** Its requests wait for the outcome. */
  readonly waiting: MessagingStore;
  /** Its requests are answered at acceptance. */
  readonly accepting: MessagingStore;
  readonly provider: Peer;
  readonly providerUrl: string;
  /** The processes of the platform, with the supervisor. */
  readonly processes: Named;
  readonly sql: postgres.Sql;
  load(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
};

const quietWithinMs = 30_000;

/** Starts the platform of that checkout, and the stand-in of WhatsApp, which this program is. */
export async function openMessagingStage(
  root: string,
  leads: number,
  outside = join(import.meta.dirname, 'provider.ts'),
  environment: Record<string, string> = {},
): Promise<MessagingStage> {
  return await openAll(async (stops) => {
    const platform = await startPlatform(root, environment);
    stops.push(platform.stop);
    const sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => {}, connection: { statement_timeout: 0 } });
    stops.push(() => sql.end());
    const provider = await startPeer(outside);
    stops.push(provider.stop);
    const providerUrl = await provider.call<string>('listen');
    const load = await startLoad(stops);
    await sql.unsafe(`
      create schema bench;
      create table bench.messages (
        id uuid primary key default uuidv7(), "to" text not null, body text not null,
        created_at timestamptz not null default now());
      create table bench.webhooks (
        id uuid primary key default uuidv7(), payload bytea not null, received_at timestamptz not null default now())`);
    const open = (phoneNumberId: string) => openStore({ platform, providerUrl, sql, load, leads, phoneNumberId });
    const waiting = await open('106540352242922');
    const accepting = await open('106540352242923');
    await platform.admin(`store update --store ${accepting.id} --message-wait 0`);
    return {
      ...{ platform, waiting, accepting, provider, providerUrl, sql, load },
      processes: { ...platform.processes, supervisor: parentOf(platform.processes.postgres ?? -1) },
    };
  });
}

type Opening = Pick<MessagingStage, 'platform' | 'providerUrl' | 'sql' | 'load'> & {
  readonly leads: number;
  readonly phoneNumberId: string;
};

async function openStore({ platform, providerUrl, sql, load, leads, phoneNumberId }: Opening): Promise<MessagingStore> {
  const { id, key } = await platform.newStore({});
  const appSecret = randomUUID();
  const { channel_id: channelId } = await platform.admin<{ channel_id: string }>(
    `channel connect --store ${id} --provider whatsapp_cloud --phone-number-id ${phoneNumberId} --phone 15550783881 ` +
      `--api-url ${providerUrl} --number-rate 100000 --pair-interval 0 --pair-burst 100000`,
    { access_token: randomUUID(), app_secret: appSecret, verify_token: randomUUID() },
  );
  const phones = Array.from({ length: leads }, (_, index) => String(5511970000000 + index));
  const { posts, lastId } = webhooksFrom({ channelId, phoneNumberId, appSecret }, phones, leads);
  await load({
    ...({ origin: platform.origin, method: 'POST', paths: [], headers: {}, expectedStatus: 200 } as const),
    ...{ prepared: posts, concurrency: 8, requests: posts.length, warmUpMs: 0, durationMs: 600_000 },
  });
  await untilStored(sql, channelId, lastId, leads);
  const rows = await sql<{ id: string; phone: string }[]>`
    select id, customer_phone as phone from crm.leads where store_id = ${id} order by id`;
  return { id, key, channelId, phoneNumberId, appSecret, leads: rows };
}

/** Waits until the platform has finished what it does after a load. */
export const untilIdle = ({ processes }: MessagingStage): Promise<boolean> => untilQuiet(processes, quietWithinMs);

/** Does some work, and returns the processor time that these processes took for each of its `count` messages. */
export async function withProcessorTime<Result extends { readonly count: number }>(
  processes: Named,
  work: () => Promise<Result>,
): Promise<Result & { readonly cpuMs: Record<string, number>; readonly cpuMsOfAll: number }> {
  const before = cpuOfAll(processes);
  const result = await work();
  const cpuMs = cpuMsEach(before, processes, result.count);
  return { ...result, cpuMs, cpuMsOfAll: Object.values(cpuMs).reduce((sum, each) => sum + each, 0) };
}

/** Starts a baseline, uses it, and stops it, so that it does nothing while the platform is measured. */
export async function withPeer<Result>(
  name: string,
  environment: Record<string, string>,
  use: (peer: Peer) => Promise<Result>,
): Promise<Result> {
  const peer = await startPeer(join(import.meta.dirname, `../shared/baselines/${name}.ts`), environment);
  try {
    return await use(peer);
  } finally {
    await peer.stop();
  }
}
