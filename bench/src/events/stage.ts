import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Peer, startPeer } from '@mostrador/local-platform/peer';
import postgres from 'postgres';
import type { MixedKind, OpenLoadJob, OpenLoadResult } from '../shared/load/open-load.ts';
import { type Platform, type Store, startPlatform } from '../shared/platform.ts';
import type { Named } from '../shared/processes.ts';
import { openAll } from '../shared/stops.ts';

export type EventsStage = {
  readonly platform: Platform;
  readonly store: Store;
  readonly sql: postgres.Sql;
  readonly load: Peer;
  readonly reader: Peer;
  readonly receiver: Peer;
  readonly receiverUrl: string;
  readonly processes: Named;
  stop(): Promise<void>;
};

/** How many batches are appended at once, over NATS or by the floor. */
export const appenders = 2;
const floorConnections = 10;
/** Of the load. */
const connections = 32;

export const openEventsStage = (root: string): Promise<EventsStage> =>
  openAll(async (stops) => {
    const platform = await startPlatform(root, { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' });
    stops.push(platform.stop);
    const store = await platform.newStore({});
    const sql = postgres(platform.databaseUrl, { max: floorConnections, onnotice: () => {} });
    stops.push(() => sql.end());
    await sql.unsafe(`
      create schema bench;
      create table bench.events (
        id uuid primary key, store_id uuid not null, type text not null, entity_id uuid not null, version bigint not null,
        created_at timestamptz not null, data jsonb not null)`);
    const start = async (program: string): Promise<Peer> => {
      const peer = await startPeer(join(import.meta.dirname, program));
      stops.push(peer.stop);
      return peer;
    };
    const [load, reader] = [await start('../shared/load/main.ts'), await start('reader.ts')];
    const receiver = await start('../shared/receiver.ts');
    const receiverUrl = await receiver.call<string>('listen');
    return { platform, store, sql, load, reader, receiver, receiverUrl, processes: platform.processes };
  });

/** A number of an event's lead, and so its phone, that no earlier measurement has used. */
let used = 0;

/** Creates leads at a steady rate, in one of the stores each, at random. */
export async function createLeads(
  { platform, load }: EventsStage,
  { stores, rate, seconds }: { stores: readonly Store[]; rate: number; seconds: number },
): Promise<OpenLoadResult> {
  const kind = {
    ...{ name: 'create a lead', share: 1, method: 'POST', path: '/integrations/v1/leads' },
    bodies: newLeads(rate * seconds),
  } satisfies MixedKind;
  const callers = stores.map(({ key }) => ({ key, leads: [''] }));
  return await load.call<OpenLoadResult>('runOpen', {
    ...{ origin: platform.origin, kinds: [kind], callers, perSecond: rate },
    ...{ connections, warmUpMs: 0, durationMs: seconds * 1000, seed: 1 },
  } satisfies OpenLoadJob);
}

/** The bodies of a number of new leads. */
const newLeads = (count: number): string[] =>
  Array.from({ length: count }, () => {
    used += 1;
    const customer_phone = `55119${String(10_000_000 + used)}`;
    return JSON.stringify({ name: `Ana ${used}`, customer_phone, external_id: randomUUID() });
  });
