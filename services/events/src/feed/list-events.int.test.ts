import { randomUUID } from 'node:crypto';
import { fenceFeeds } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { append, entryOf, page } from '../../test/entries.ts';
import { startEvents, type TestEvents } from '../../test/events.ts';

let events: TestEvents;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events?.stop());

const sequences = (list: readonly { sequence: number }[]) => list.map(({ sequence }) => sequence);

test('a client that follows `next` reads every event once', async () => {
  const storeId = randomUUID();
  await append(events, ...Array.from({ length: 5 }, () => entryOf(storeId)));
  await append(events, entryOf(randomUUID()));
  expect((await page(events, storeId, { limit: 2 })).next).toBe(2);
  const second = await page(events, storeId, { after: 2, limit: 2 });
  expect([sequences(second.data), second.next]).toEqual([[3, 4], 4]);
  const third = await page(events, storeId, { after: 4, limit: 2 });
  expect([sequences(third.data), third.next]).toEqual([[5], 5]);
  expect(await page(events, storeId, { after: 5 })).toEqual({ data: [], next: 5 });
});

test('a store without events has an empty feed', async () => {
  const storeId = randomUUID();
  for (const after of [-1, 0, undefined]) expect(await page(events, storeId, { after })).toEqual({ data: [], next: 0 });
  await expect(page(events, storeId, { after: 1 })).rejects.toMatchObject({ code: 'cursor_expired' });
});

test('`-1` names the end of the feed, and a position that it never had is expired', async () => {
  const storeId = randomUUID();
  await append(events, entryOf(storeId), entryOf(storeId));
  expect(await page(events, storeId, { after: -1 })).toEqual({ data: [], next: 2 });
  await expect(page(events, storeId, { after: 3 })).rejects.toMatchObject({ code: 'cursor_expired' });
});

test('filters select by type and by resource, and `next` goes on behind what was looked through', async () => {
  const [storeId, entityId] = [randomUUID(), randomUUID()];
  await append(
    events,
    entryOf(storeId, { type: 'lead.created', entityId }),
    entryOf(storeId, { type: 'lead.updated' }),
    entryOf(storeId, { type: 'lead.merged' }),
    entryOf(storeId, { type: 'lead.updated', entityId }),
    entryOf(storeId, { type: 'seller.created' }),
  );
  const read = async (query: Parameters<typeof page>[2]) => {
    const { data, next } = await page(events, storeId, query);
    return [...sequences(data), `next ${next}`];
  };
  expect(await read({ types: 'lead.updated,lead.merged' })).toEqual([2, 3, 4, 'next 5']);
  expect(await read({ types: 'lead.updated,lead.merged', limit: 2 })).toEqual([2, 3, 'next 3']);
  expect(await read({ entity_id: entityId })).toEqual([1, 4, 'next 5']);
  expect(await read({ entity_id: entityId, types: 'lead.updated', after: 1 })).toEqual([4, 'next 5']);
  expect(await read({ types: 'agent.created' })).toEqual(['next 5']);
});

test('a page with filters looks through 2,000 events, and the next page goes on there', async () => {
  const storeId = randomUUID();
  const { adminSql } = events;
  await append(events, entryOf(storeId));
  await adminSql`
    insert into events (store_id, sequence, id, type, entity_type, entity_id, entity_version, data, created_at, appended_at)
    select ${storeId}, n, gen_random_uuid(), 'lead.updated', 'lead', gen_random_uuid(), n, '{}', now(), now()
    from generate_series(2, 4500) as n`;
  await adminSql`update feeds set last_sequence = 4500 where store_id = ${storeId}`;
  await append(events, entryOf(storeId, { type: 'lead.merged' }));
  const types = 'lead.merged';
  expect(await page(events, storeId, { types })).toEqual({ data: [], next: 2000 });
  expect(await page(events, storeId, { types, after: 2000 })).toEqual({ data: [], next: 4000 });
  const last = await page(events, storeId, { types, after: 4000 });
  expect([sequences(last.data), last.next]).toEqual([[4501], 4501]);
});

test('a sample has the newest events, the newest first, and `next` is behind them', async () => {
  const storeId = randomUUID();
  expect(await page(events, storeId, { order: 'desc' })).toEqual({ data: [], next: 0 });
  await append(events, ...Array.from({ length: 4 }, () => entryOf(storeId)), entryOf(storeId, { type: 'lead.merged' }));
  const { data, next } = await page(events, storeId, { order: 'desc', limit: 2 });
  expect([sequences(data), next]).toEqual([[5, 4], 5]);
  const ofType = await page(events, storeId, { order: 'desc', limit: 2, types: 'lead.updated' });
  expect([sequences(ofType.data), ofType.next]).toEqual([[4, 3], 5]);
  await append(events, entryOf(storeId));
  expect(sequences((await page(events, storeId, { after: next })).data)).toEqual([6]);
  await expect(page(events, storeId, { order: 'desc', after: 2 })).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ in: 'query', name: 'after', detail: 'cannot be combined with `order=desc`' }] },
  });
});

test('an event of a version without an actor has null in its place', async () => {
  const storeId = randomUUID();
  const { actor: _actor, request_id: _id, previous: _previous, entity, ...plain } = entryOf(storeId);
  const { etag: _etag, ...known } = entity;
  await append(events, { ...plain, entity: known });
  const unknown = { actor: null, request_id: null, previous: null };
  expect((await page(events, storeId)).data).toEqual([
    { ...plain, ...unknown, entity: { ...known, etag: null }, sequence: 1 },
  ]);
});

test('a reader that goes on from 0 learns from the first number whether events are missing', async () => {
  const storeId = randomUUID();
  const { next } = await page(events, storeId);
  expect(next).toBe(0);
  await append(events, ...Array.from({ length: 4 }, () => entryOf(storeId)));
  const first = async () => sequences((await page(events, storeId, { after: next, limit: 1 })).data);
  expect(await first()).toEqual([1]);
  // As retention does.
  await events.adminSql`update feeds set oldest_sequence = 3 where store_id = ${storeId}`;
  expect(await first()).toEqual([3]);
  // After a restore. From here on the feeds of this test's database begin high.
  await events.rpc.call(fenceFeeds, { body: { since: new Date().toISOString() } }, testContext());
  await append(events, entryOf(storeId));
  expect((await first())[0]).toBeGreaterThan(5);
});
