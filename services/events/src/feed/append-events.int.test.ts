import { randomUUID } from 'node:crypto';
import { appendEvents, type FeedEntry, getEvent, listEvents } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../test/events.ts';

let events: TestEvents;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events?.stop());

test('appended events are read in order, one by one or as a page', async () => {
  const [storeId, entity] = [randomUUID(), randomUUID()];
  const entries: FeedEntry[] = [1, 2, 3].map((version) => ({
    id: randomUUID(),
    store_id: storeId,
    type: 'lead.updated',
    entity: { type: 'lead', id: entity, version },
    created_at: new Date().toISOString(),
    data: { version },
  }));
  expect(await events.rpc.call(appendEvents, { body: { entries } }, testContext())).toEqual({ appended: 3 });
  expect(await events.rpc.call(appendEvents, { body: { entries } }, testContext())).toEqual({ appended: 0 });
  const page = await events.rpc.call(listEvents, { query: {} }, testContext({ storeId }));
  expect(page).toEqual({ data: entries.map((entry, index) => ({ ...entry, sequence: index + 1 })), next: 3 });
  const [first] = page.data;
  const read = await events.rpc.call(getEvent, { params: { eventId: first?.id ?? '' } }, testContext({ storeId }));
  expect(read).toEqual(first);
});
