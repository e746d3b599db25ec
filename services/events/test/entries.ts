import { randomUUID } from 'node:crypto';
import { appendEvents, type Event, type FeedEntry, listEvents } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import type { TestEvents } from './events.ts';

let version = 0;

/** An event on its way into the feed of a store. */
export const entryOf = (storeId: string, members: Partial<FeedEntry> & { entityId?: string } = {}): FeedEntry => {
  const { entityId = randomUUID(), ...rest } = members;
  version += 1;
  return {
    id: randomUUID(),
    store_id: storeId,
    type: 'lead.updated',
    entity: { type: 'lead', id: entityId, version, etag: '"v2.0"' },
    actor: { kind: 'api_key', id: 'abc' },
    request_id: 'r-1',
    previous: { status: 'in_progress' },
    created_at: new Date().toISOString(),
    data: { lead_id: entityId, status: 'pending', object: null },
    ...rest,
  };
};

export const append = async (events: TestEvents, ...entries: FeedEntry[]): Promise<number> =>
  (await events.rpc.call(appendEvents, { body: { entries } }, testContext())).appended;

/** A page of the feed of a store. */
export const page = (events: TestEvents, storeId: string, query: Parameters<typeof list>[2] = {}) =>
  list(events, storeId, query);

const list = (
  events: TestEvents,
  storeId: string,
  query: { after?: number; limit?: number; types?: string; entity_id?: string; order?: 'asc' | 'desc' },
) => events.rpc.call(listEvents, { query }, testContext({ storeId }));

/** Reads the whole feed as a client does. */
export async function readAll(events: TestEvents, storeId: string, limit = 200): Promise<Event[]> {
  const read: Event[] = [];
  for (let after = 0; ; ) {
    const { data, next } = await list(events, storeId, { after, limit });
    read.push(...data);
    if (next === after) return read;
    after = next;
  }
}
