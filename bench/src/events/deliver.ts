import { appendEvents, maxAppendedEvents } from '@mostrador/contracts';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import type { Store } from '../shared/platform.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import type { Received } from '../shared/receiver.ts';
import { newEntries } from './append.ts';
import { createLeads, type EventsStage } from './stage.ts';

/** Stores with a webhook endpoint each. */
export type Endpoints = { readonly hanging: Store; readonly failing: Store; readonly well: readonly Store[] };

export type Delivered = { readonly perSecond: number; readonly cpuMs: Readonly<Record<string, number>> };

/** Deliveries beside an endpoint that hangs and one that fails. */
export type Beside = Received & {
  /** Events that the well endpoints should have got. */
  readonly expected: number;
  readonly cpuMs: Readonly<Record<string, number>>;
};

const floorAtOnce = 32;

/** Appends events to the feeds of the stores whose endpoints are well, and waits until the receiver has them all. */
export async function deliverMany(stage: EventsStage, { well }: Endpoints, count: number): Promise<Delivered> {
  const { platform, receiver, processes } = stage;
  const entries = newEntries(
    well.map(({ id }) => id),
    count,
  );
  await receiver.call('reset');
  const before = cpuOfAll(processes);
  const from = performance.now();
  await withInsideClient(platform.natsUrl('crm'), async (call) => {
    for (let at = 0; at < count; at += maxAppendedEvents) {
      await call(appendEvents, { body: { entries: entries.slice(at, at + maxAppendedEvents) } });
    }
  });
  await receiver.call('got', count);
  return { perSecond: (count * 1000) / (performance.now() - from), cpuMs: cpuMsEach(before, processes, count) };
}

/** The floor: one insert and one POST for each event, and nothing else. */
export async function postMany(stage: EventsStage, count: number): Promise<Delivered> {
  const { sql, receiver, receiverUrl, processes, store } = stage;
  const entries = newEntries([store.id], count);
  await receiver.call('reset');
  const before = cpuOfAll(processes);
  const from = performance.now();
  let next = 0;
  const sender = async () => {
    for (let entry = entries[next++]; entry; entry = entries[next++]) {
      const { id, store_id, type, entity, created_at, data } = entry;
      await sql`
        insert into bench.events (id, store_id, type, entity_id, version, created_at, data)
        values (${id}, ${store_id}, ${type}, ${entity.id}, ${entity.version}, ${created_at}, ${sql.json(data as never)})`;
      await fetch(`${receiverUrl}/ok`, { method: 'POST', body: JSON.stringify(entry) });
    }
  };
  await Promise.all(Array.from({ length: floorAtOnce }, sender));
  return { perSecond: (count * 1000) / (performance.now() - from), cpuMs: cpuMsEach(before, processes, count) };
}

/** Creates leads in all stores at a steady rate. One endpoint hangs, and one answers 500. */
export async function deliverBeside(
  stage: EventsStage,
  { hanging, failing, well }: Endpoints,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Beside> {
  const { receiver, processes } = stage;
  // The bad endpoints have twenty times the events of a well one, so that they always have something to send.
  const bad = [hanging, failing].flatMap((store) => Array.from({ length: 20 }, () => store));
  await receiver.call('reset');
  const leadsBefore = await leadsOf(stage, well);
  const before = cpuOfAll(processes);
  const { sent } = await createLeads(stage, { stores: [...bad, ...well], rate, seconds });
  const cpuMs = cpuMsEach(before, processes, sent);
  const expected = (await leadsOf(stage, well)) - leadsBefore;
  await receiver.call('got', expected);
  return { ...(await receiver.call<Received>('received')), expected, cpuMs };
}

async function leadsOf({ sql }: EventsStage, stores: readonly Store[]): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from crm.leads where store_id = any(${stores.map(({ id }) => id)}::uuid[])`;
  return row.count;
}
