import { randomUUID } from 'node:crypto';
import { appendEvents, type FeedEntry, type FeedIds, maxAppendedEvents } from '@mostrador/contracts';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { appenders, type EventsStage } from './stage.ts';

export type Appended = { readonly perSecond: number; readonly cpuMs: Readonly<Record<string, number>> };

/** How many stores the events of a batch are of. */
const storesOfABatch = 10;

/** Appends events to feeds over NATS, as the relays of the services do: batches of 200, several at once. */
export const appendMany = (stage: EventsStage, seconds: number): Promise<Appended> =>
  withInsideClient(stage.platform.natsUrl('crm'), (call) =>
    measure(stage, seconds, async (entries) => {
      await call(appendEvents, { body: { entries } });
    }),
  );

/** The floor: inserts the same events into a table, a statement for each batch. */
export const insertMany = (stage: EventsStage, seconds: number): Promise<Appended> =>
  measure(stage, seconds, async (entries) => {
    const rows = entries.map(({ entity, ...entry }) => ({ ...entry, entity_id: entity.id, version: entity.version }));
    await stage.sql`
      insert into bench.events (id, store_id, type, entity_id, version, created_at, data)
      select id, store_id, type, entity_id, version, created_at, data
      from jsonb_to_recordset(${stage.sql.json(rows as never)}) as entry
        (id uuid, store_id uuid, type text, entity_id uuid, version bigint, created_at timestamptz, data jsonb)`;
  });

async function measure(
  { processes }: EventsStage,
  seconds: number,
  append: (entries: FeedEntry[]) => Promise<void>,
): Promise<Appended> {
  const before = cpuOfAll(processes);
  const from = performance.now();
  const until = from + seconds * 1000;
  let count = 0;
  const appender = async () => {
    const stores = Array.from({ length: storesOfABatch }, () => randomUUID());
    while (performance.now() < until) {
      const entries = newEntries(stores, maxAppendedEvents);
      await append(entries);
      count += entries.length;
    }
  };
  await Promise.all(Array.from({ length: appenders }, appender));
  const perSecond = (count * 1000) / (performance.now() - from);
  return { perSecond, cpuMs: cpuMsEach(before, processes, count) };
}

let version = 0;

/** Events of new leads, of each store in turn. */
export const newEntries = (stores: readonly string[], count: number): FeedEntry[] =>
  Array.from({ length: count }, (_, index) => {
    const [id, leadId, storeId] = [uuidv7(), randomUUID(), stores[index % stores.length] as string];
    const now = new Date().toISOString();
    version += 1;
    const ids: FeedIds<'lead.created'> = { lead_id: leadId, status: 'pending', seller_id: null };
    const object = {
      ...{ id: leadId, store_id: storeId, name: 'Ana Souza', customer_phone: '5511961234567', status: 'pending' },
      ...{ seller_id: null, external_id: leadId, email: null, tags: [], metadata: {}, interaction_count: 0 },
      ...{ ai_paused_until: null, created_at: now, updated_at: now },
    };
    const entity = { type: 'lead', id: leadId, version };
    return { id, store_id: storeId, type: 'lead.created', entity, created_at: now, data: { ...ids, object } };
  });

/** A UUID of version 7 (RFC 9562): 48 bits of milliseconds, then random bits. */
function uuidv7(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
