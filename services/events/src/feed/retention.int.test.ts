import { randomUUID } from 'node:crypto';
import { feedRetentionDays } from '@mostrador/contracts';
import { waitFor } from '@mostrador/testing/wait';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { append, entryOf, page, readAll } from '../../test/entries.ts';
import { startEvents, type TestEvents } from '../../test/events.ts';
import { findPartitionDays } from './partition.repository.ts';
import { makePartitions, removeExpired } from './partition-job.ts';
import { dayOf } from './partitions.ts';

const dayMs = 24 * 3_600_000;
const noon = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2;

/** The clock of the service, in days from noon of today. */
let day = 0;
const now = () => new Date(noon + day * dayMs);
let events: TestEvents;
beforeEach(async () => {
  day = 0;
  events = await startEvents({ now });
});
afterEach(() => events?.stop());

const scope = () => ({ deadline: Date.now() + 30_000 });
const days = () => events.systemDatabase.read(scope(), findPartitionDays);
const sequences = (list: readonly { sequence: number }[]) => list.map(({ sequence }) => sequence);
async function appendOn(at: number, ...stores: string[]): Promise<void> {
  day = at;
  await append(events, ...stores.map((storeId) => entryOf(storeId)));
}

test('the job makes the partitions of today and the next three days, once', async () => {
  await Promise.all([makePartitions(events.systemDatabase, now()), makePartitions(events.systemDatabase, now())]);
  const expected = [0, 1, 2, 3].map((ahead) => dayOf(new Date(noon + ahead * dayMs)));
  expect(await days()).toEqual(expected);
  await makePartitions(events.systemDatabase, now());
  expect(await days()).toEqual(expected);
});

test('an append whose day has no partition makes it, also when two come at once', async () => {
  const storeId = randomUUID();
  day = 5;
  await Promise.all([
    append(events, entryOf(storeId)),
    append(events, entryOf(randomUUID())),
    append(events, entryOf(storeId)),
  ]);
  expect(await days()).toEqual([dayOf(now())]);
  expect(sequences(await readAll(events, storeId))).toEqual([1, 2]);
});

test('after the retention a feed begins later, older positions are expired, and the numbers go on', async () => {
  const [busy, silent, fresh] = [randomUUID(), randomUUID(), randomUUID()];
  await appendOn(0, busy, busy, silent);
  await appendOn(1, busy);
  await appendOn(2, busy, fresh);
  day = feedRetentionDays + 2;
  const before = await days();
  expect(await removeExpired(events.systemDatabase, now())).toEqual(before.slice(0, 2));
  expect(await days()).toEqual(before.slice(2));

  expect(sequences((await page(events, busy)).data)).toEqual([4]);
  expect(sequences((await page(events, busy, { after: 3 })).data)).toEqual([4]);
  for (const after of [1, 2]) {
    await expect(page(events, busy, { after })).rejects.toMatchObject({ code: 'cursor_expired' });
  }
  expect(sequences((await page(events, fresh)).data)).toEqual([1]);

  expect(await page(events, silent)).toEqual({ data: [], next: 1 });
  expect(await page(events, silent, { after: 1 })).toEqual({ data: [], next: 1 });
  await append(events, entryOf(silent));
  expect(sequences((await page(events, silent, { after: 1 })).data)).toEqual([2]);
  expect(await removeExpired(events.systemDatabase, now())).toEqual([]);
});

test('an event is kept for at least 30 days', async () => {
  const storeId = randomUUID();
  await appendOn(0, storeId);
  day = feedRetentionDays;
  expect(await removeExpired(events.systemDatabase, now())).toEqual([]);
  expect(sequences(await readAll(events, storeId))).toEqual([1]);
});

test('a clock that goes back changes neither the order nor what retention removes', async () => {
  const storeId = randomUUID();
  await appendOn(3, storeId);
  await appendOn(1, storeId, randomUUID());
  await appendOn(4, storeId);
  const rows = await events.adminSql`
    select sequence, appended_at from events where store_id = ${storeId} order by sequence`;
  const times = rows.map(({ appended_at }) => appended_at.getTime());
  expect(times).toEqual([3, 3, 4].map((at) => noon + at * dayMs));
  // A repeated entry is recognized, although the clock was ahead when it was appended.
  day = 7;
  const entry = entryOf(storeId, { created_at: now().toISOString() });
  await append(events, entry);
  day = 5;
  expect(await append(events, entry)).toBe(0);
  day = feedRetentionDays + 4;
  await removeExpired(events.systemDatabase, now());
  expect(sequences(await readAll(events, storeId))).toEqual([3, 4]);
});

test('a reader gets whole pages or `cursor_expired` while retention passes it, never a gap', async () => {
  const storeId = randomUUID();
  for (const at of [0, 1, 2]) await appendOn(at, ...Array.from({ length: 50 }, () => storeId));
  day = feedRetentionDays + 2;
  let isOver = false;
  const pages = async (after: number) => {
    const results: (number[] | string)[] = [];
    while (!isOver) {
      results.push(
        await page(events, storeId, { after, limit: 200 }).then(
          ({ data }) => sequences(data),
          ({ code }) => code,
        ),
      );
    }
    return results;
  };
  const reading = [0, 10, 60, 110].map(pages);
  await removeExpired(events.systemDatabase, now()).finally(() => {
    isOver = true;
  });
  const from = (first: number) => Array.from({ length: 150 - first + 1 }, (_, index) => first + index);
  const [whole, early, middle, late] = await Promise.all(reading);
  for (const result of whole ?? []) expect([from(1), from(101)]).toContainEqual(result);
  for (const result of early ?? []) expect([from(11), 'cursor_expired']).toContainEqual(result);
  for (const result of middle ?? []) expect([from(61), 'cursor_expired']).toContainEqual(result);
  for (const result of late ?? []) expect(result).toEqual(from(111));
});

test('a long read delays the removal, and appends and reads go on meanwhile', async () => {
  const storeId = randomUUID();
  await appendOn(0, storeId);
  await appendOn(1, storeId);
  day = feedRetentionDays + 1;
  const dump = await events.adminSql.reserve();
  try {
    await dump`begin`;
    await dump`select count(*) from events`;
    const removing = removeExpired(events.systemDatabase, now());
    removing.catch(() => {});
    await waitFor(
      async () =>
        (await events.adminSql`select 1 from pg_locks where mode = 'AccessExclusiveLock' and not granted`).length > 0,
      { description: 'the removal waits', intervalMs: 5 },
    );
    expect(await append(events, entryOf(storeId))).toBe(1);
    expect(sequences((await page(events, storeId)).data)).toEqual([2, 3]);
    await expect(removing).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await days()).toContain(dayOf(new Date(noon)));
  } finally {
    await dump`rollback`;
    dump.release();
  }
  expect(await removeExpired(events.systemDatabase, now())).toEqual([dayOf(new Date(noon))]);
});

test('partitions are made while a long read and an append run', async () => {
  const storeId = randomUUID();
  await appendOn(0, storeId);
  await events.adminSql.begin(async (sql) => {
    await sql`select count(*) from events`;
    await sql`update feeds set last_sequence = last_sequence where store_id = ${storeId}`;
    await sql`
      insert into events (store_id, sequence, id, type, entity_type, entity_id, entity_version, data, created_at, appended_at)
      values (${storeId}, 2, gen_random_uuid(), 'lead.updated', 'lead', gen_random_uuid(), 1, '{}', now(), ${now()})`;
    await makePartitions(events.systemDatabase, now());
    expect(await days()).toHaveLength(4);
  });
});
