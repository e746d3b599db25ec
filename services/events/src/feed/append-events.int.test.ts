import { randomUUID } from 'node:crypto';
import { type FeedEntry, type FeedNotice, feedNoticeSubject, getEvent, maxEventDataBytes } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { append, entryOf, page, readAll } from '../../test/entries.ts';
import { startEvents, type TestEvents } from '../../test/events.ts';
import { insertEvents, lockFeeds } from './append.repository.ts';
import { numberEntries } from './number-entries.ts';

let events: TestEvents;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events?.stop());

const sequences = (list: readonly { sequence: number }[]) => list.map(({ sequence }) => sequence);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('appended events are read in order, as a page and one by one', async () => {
  const [storeId, entityId] = [randomUUID(), randomUUID()];
  const entries = Array.from({ length: 3 }, () => entryOf(storeId, { entityId }));
  expect(await append(events, ...entries)).toBe(3);
  const { data, next } = await page(events, storeId);
  expect({ data, next }).toEqual({ data: entries.map((entry, index) => ({ ...entry, sequence: index + 1 })), next: 3 });
  for (const event of data) {
    const reading = events.rpc.call(getEvent, { params: { eventId: event.id } }, testContext({ storeId }));
    expect(await reading).toEqual(event);
  }
  const ofAnother = events.rpc.call(getEvent, { params: { eventId: data[0]?.id ?? '' } }, testContext());
  await expect(ofAnother).rejects.toMatchObject({ code: 'event_not_found' });
});

test('an event that the feed has is left as it is, within a batch and later, and takes no number', async () => {
  const storeId = randomUUID();
  const [first, second, third] = [entryOf(storeId), entryOf(storeId), entryOf(storeId)];
  expect(await append(events, first, second, first)).toBe(2);
  expect(await append(events, second, { ...first, type: 'lead.merged' }, third)).toBe(1);
  expect(await append(events, first, second, third)).toBe(0);
  expect(await readAll(events, storeId)).toEqual(
    [first, second, third].map((entry, index) => ({ ...entry, sequence: index + 1 })),
  );
});

/** One service: entries in the order of their positions. Its relays send the oldest ones, and delete what was appended. */
const producer = fc.record({
  entries: fc.array(fc.record({ store: fc.nat(2), entity: fc.nat(3) }), { minLength: 1, maxLength: 40 }),
  relays: fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 3,
  }),
});

test('whatever relays send at the same time, each feed is contiguous, has each event once, and each entity in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(producer, { minLength: 1, maxLength: 3 }), async (producers) => {
      const stores = [randomUUID(), randomUUID(), randomUUID()];
      const sent = producers.map(({ entries }) => {
        const entities = Array.from({ length: 4 }, () => randomUUID());
        return entries.map(({ store, entity }) => entryOf(stores[store] ?? '', { entityId: `${entities[entity]}` }));
      });
      await Promise.all(
        producers.flatMap(({ relays }, index) => {
          let waiting: readonly FeedEntry[] = sent[index] ?? [];
          return relays.map(async (sizes) => {
            for (let turn = 0; waiting.length > 0; turn++) {
              const batch = waiting.slice(0, sizes[turn % sizes.length]);
              await append(events, ...batch);
              waiting = waiting.filter((entry) => !batch.includes(entry));
            }
          });
        }),
      );
      for (const storeId of stores) {
        const feed = await readAll(events, storeId, 7);
        expect(sequences(feed)).toEqual(upTo(feed.length));
        const own = sent.flat().filter(({ store_id }) => store_id === storeId);
        expect(feed.map(({ id }) => id).toSorted()).toEqual(own.map(({ id }) => id).toSorted());
        for (const { entity } of own) {
          const versions = feed.filter((event) => event.entity.id === entity.id).map((event) => event.entity.version);
          expect(versions).toEqual(versions.toSorted((one, other) => one - other));
        }
      }
    }),
    { numRuns: 10 },
  );
});

test('a reader skips nothing when the transaction that began first commits last', async () => {
  const storeId = randomUUID();
  await append(events, entryOf(storeId));
  const [locked, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = entryOf(storeId);
  const slowly = events.systemDatabase.write({ deadline: Date.now() + 30_000 }, async (sql) => {
    const feeds = await lockFeeds(sql, [storeId], new Date());
    await insertEvents(sql, numberEntries([slow], { feeds, known: [], at: new Date() }), 0);
    locked.resolve();
    await commit.promise;
  });
  await locked.promise;
  const fast = entryOf(storeId);
  const appending = append(events, fast);
  await waitFor(
    async () => {
      const [waiting] = await events.adminSql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting !== undefined;
    },
    { description: 'the second append waits for the first' },
  );
  const before = await page(events, storeId);
  expect([sequences(before.data), before.next]).toEqual([[1], 1]);
  commit.resolve();
  await Promise.all([slowly, appending]);
  const after = await page(events, storeId, { after: before.next });
  expect(after.data.map(({ id }) => id)).toEqual([slow.id, fast.id]);
  expect(sequences(after.data)).toEqual([2, 3]);
});

test('an append that fails takes no number', async () => {
  const [storeId, otherId] = [randomUUID(), randomUUID()];
  await append(events, entryOf(storeId));
  const tooLarge = entryOf(otherId, { entityId: randomUUID() });
  const invalid = { ...tooLarge, entity: { ...tooLarge.entity, version: 2 ** 63 } };
  await expect(append(events, entryOf(storeId), invalid)).rejects.toThrow();
  await append(events, entryOf(storeId));
  expect(sequences(await readAll(events, storeId))).toEqual([1, 2]);
  expect(await readAll(events, otherId)).toEqual([]);
});

test('a full batch of the largest events is appended, and read as one page', async () => {
  const storeId = randomUUID();
  const text = 'x'.repeat(maxEventDataBytes - 20);
  await append(events, ...Array.from({ length: 200 }, () => entryOf(storeId, { data: { object: text } })));
  const { data, next } = await page(events, storeId, { limit: 200 });
  expect([data.length, next]).toEqual([200, 200]);
});

test('a notice names the feeds that have grown, and a batch of known events sends none', async () => {
  const notices: FeedNotice[] = [];
  events.nats.nats.subscribe(feedNoticeSubject, { callback: (_, message) => void notices.push(message.json()) });
  await events.nats.nats.flush();
  const [storeId, otherId, knownId] = [randomUUID(), randomUUID(), randomUUID()];
  const known = entryOf(knownId);
  await append(events, known);
  await append(events, known);
  await append(events, entryOf(storeId), entryOf(otherId), known, entryOf(storeId));
  await waitFor(() => notices.length === 2, { description: 'both notices have come' });
  expect(notices).toEqual([{ [knownId]: 1 }, { [storeId]: 2, [otherId]: 1 }]);
});
