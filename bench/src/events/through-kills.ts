import { setTimeout as pause } from 'node:timers/promises';
import { appendEvents, type FeedEntry, maxAppendedEvents } from '@mostrador/contracts';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import {
  type PythonReceiver,
  type Receipt,
  startPythonReceiver,
} from '@mostrador/testing/providers/webhook-receiver/python-receiver';
import postgres from 'postgres';
import { killEach } from '../shared/kills.ts';
import type { Store } from '../shared/platform.ts';
import { newEntries } from './append.ts';
import { createEndpoints, createStores } from './endpoints.ts';
import type { EventsStage } from './stage.ts';

/** What became of events whose processes and servers were killed. Every count but the first three should be 0. */
export type ThroughKills = {
  readonly kills: readonly string[];
  readonly seconds: number;
  /** Webhooks that came again, with the same id. */
  readonly repeated: number;
  readonly notInFeed: number;
  readonly twiceInFeed: number;
  readonly feedsWithGap: number;
  readonly notDelivered: number;
  readonly outOfOrder: number;
  readonly otherIds: number;
  readonly forged: number;
};

/** The share of the events whose first attempt the receiver refuses. */
const failing = 0.01;
/** Over this time the kills are spread. */
const killsOverMs = 120_000;
/** Longer than any wait of the platform but those of the retry schedule: a lease, a worker that died. */
const noProgressMs = 180_000;
const lookEveryMs = 1_000;
/** The number of resources of each store, small enough that each has several events in order. */
const entitiesOfAStore = 5;

/**
 * Appends events to the feeds of stores with a webhook endpoint each, as a relay does: a batch again and again until it
 * is answered. Meanwhile every process and server is killed twice. A receiver in Python verifies each signature with the
 * official library.
 */
export async function throughKills(
  stage: EventsStage,
  { events, endpoints, seed }: { events: number; endpoints: number; seed: number },
  say: (text: string) => void,
): Promise<ThroughKills> {
  const receiver = await startPythonReceiver({ failing });
  try {
    const stores = await createStores(stage.platform, endpoints);
    const made = await createEndpoints(stage.platform, stores, (index) => receiver.url(`/${index}`));
    for (const [index, { secret }] of made.entries()) await receiver.trust(`/${index}`, secret);
    say(`${endpoints} endpoints are ready. Appending ${events.toLocaleString('en')} events beside the kills.`);
    const entries = entriesOf(stores, events);
    const from = performance.now();
    const [kills] = await Promise.all([killEach(stage.platform, killsOverMs, seed), appendAll(stage, entries)]);
    say('Appended. Waiting for the webhooks.');
    await untilDelivered(stage, stores, say);
    const seconds = (performance.now() - from) / 1000;
    return { kills, seconds, ...(await judgeFeeds(stage, entries)), ...judgeReceipts(receiver, stores, entries) };
  } finally {
    await receiver.stop();
  }
}

/** Events of some resources of each store, in the order of their versions. */
function entriesOf(stores: readonly Store[], count: number): FeedEntry[] {
  const entityIds = new Map<string, string[]>();
  return newEntries(
    stores.map(({ id }) => id),
    count,
  ).map((entry, index) => {
    const ids = entityIds.get(entry.store_id) ?? [];
    entityIds.set(entry.store_id, ids);
    if (ids.length < entitiesOfAStore) ids.push(entry.entity.id);
    const id = ids[Math.floor(index / stores.length) % ids.length] as string;
    return { ...entry, type: 'lead.updated', entity: { ...entry.entity, id } };
  });
}

async function appendAll({ platform }: EventsStage, entries: readonly FeedEntry[]): Promise<void> {
  for (let at = 0; at < entries.length; ) {
    // NATS may be killed before the client is connected.
    await withInsideClient(platform.natsUrl('crm'), async (call) => {
      while (at < entries.length) {
        await call(appendEvents, { body: { entries: entries.slice(at, at + maxAppendedEvents) } });
        at += maxAppendedEvents;
      }
    }).catch(() => pause(200));
  }
}

async function untilDelivered(
  { platform }: EventsStage,
  stores: readonly Store[],
  say: (text: string) => void,
): Promise<void> {
  let [least, progressAt] = [Number.POSITIVE_INFINITY, performance.now()];
  while (performance.now() - progressAt < noProgressMs) {
    const left = await leftOf(platform.databaseUrl, stores).catch(() => Number.POSITIVE_INFINITY);
    if (left === 0) return;
    if (left < least) [least, progressAt] = [left, performance.now()];
    await pause(lookEveryMs);
  }
  say(`${least} webhooks were not delivered.`);
}

/** How many events wait for a delivery, or are on their way. A connection of its own outlasts the kills. */
async function leftOf(databaseUrl: string, stores: readonly Store[]): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const ids = stores.map(({ id }) => id);
  try {
    const [row] = await sql<[{ left: number }]>`
      select (select count(*) from events.webhook_deliveries where status = 'pending' and store_id = any(${ids}::uuid[]))::int
           + (select coalesce(sum(f.last_sequence - e.planned_through), 0) from events.webhook_endpoints e
              join events.feeds f on f.store_id = e.store_id where e.store_id = any(${ids}::uuid[]))::int as left`;
    return row.left;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function judgeFeeds(
  { sql }: EventsStage,
  entries: readonly FeedEntry[],
): Promise<Pick<ThroughKills, 'notInFeed' | 'twiceInFeed' | 'feedsWithGap'>> {
  const stores = [...new Set(entries.map(({ store_id }) => store_id))];
  const rows = await sql<{ id: string; store_id: string; sequence: number }[]>`
    select id, store_id, sequence::int as sequence from events.events where store_id = any(${stores}::uuid[])
    order by store_id, sequence`;
  const ids = new Set(rows.map(({ id }) => id));
  const feeds = Map.groupBy(rows, ({ store_id }) => store_id);
  const hasGap = (feed: readonly { sequence: number }[]) => feed.some(({ sequence }, index) => sequence !== index + 1);
  return {
    notInFeed: entries.filter(({ id }) => !ids.has(id)).length,
    twiceInFeed: rows.length - ids.size,
    feedsWithGap: [...feeds.values()].filter(hasGap).length,
  };
}

function judgeReceipts(
  { receipts, faults }: PythonReceiver,
  stores: readonly Store[],
  entries: readonly FeedEntry[],
): Pick<ThroughKills, 'repeated' | 'notDelivered' | 'outOfOrder' | 'otherIds' | 'forged'> {
  const accepted = receipts.filter(({ status }) => status === 200);
  const ids = new Set(accepted.map(({ id }) => id));
  const storeOf = new Map(entries.map(({ id, store_id }) => [id, store_id]));
  const isOther = ({ path, id }: Receipt) => storeOf.get(id) !== stores[Number(path.slice(1))]?.id;
  const latest = new Map<string, number>();
  const isOlder = ({ path, entity, sequence }: Receipt) => {
    const before = latest.get(`${path} ${entity}`) ?? 0;
    latest.set(`${path} ${entity}`, Math.max(before, sequence));
    return sequence < before;
  };
  return {
    repeated: accepted.length - ids.size,
    notDelivered: entries.filter(({ id }) => !ids.has(id)).length,
    outOfOrder: accepted.filter(isOlder).length,
    otherIds: receipts.filter(isOther).length,
    forged: faults.length,
  };
}
