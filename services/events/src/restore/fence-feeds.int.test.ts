import { randomUUID } from 'node:crypto';
import { eventsOperations, fenceFeeds, listEvents } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { append, entryOf, page, readAll } from '../../test/entries.ts';
import { startEvents, type TestEvents } from '../../test/events.ts';
import { planDeliveries } from '../webhooks/sending/plan-deliveries.ts';

const { createWebhookEndpoint } = eventsOperations;

let events: TestEvents;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events?.stop());

const fence = async (since: string, dry_run = false) =>
  (await events.rpc.call(fenceFeeds, { body: { since, dry_run } }, testContext())).feeds;
const entries = (storeId: string, count: number) => Array.from({ length: count }, () => entryOf(storeId));
const expired = { code: 'cursor_expired' };
const endOf = async (storeId: string) => (await page(events, storeId, { after: -1 })).next;

test('a reader from before the restore gets 410 also when the feed has its number again, restarts and misses nothing', async () => {
  const [storeId, createdLater] = [randomUUID(), randomUUID()];
  const kept = entryOf(storeId);
  await append(events, kept);
  const backup = await events.backUp();
  await append(events, ...entries(storeId, 4), ...entries(createdLater, 3));
  const cursors = { [storeId]: await endOf(storeId), [createdLater]: await endOf(createdLater) };
  expect(cursors).toEqual({ [storeId]: 5, [createdLater]: 3 });
  await backup.restore();
  await append(events, ...entries(storeId, 6));

  expect(await fence(backup.at)).toBe(1);
  for (const [store, after] of Object.entries(cursors)) {
    await expect(page(events, store, { after })).rejects.toMatchObject(expired);
    const begin = await endOf(store);
    expect(await page(events, store, { after: 0 })).toEqual({ data: [], next: begin });
    const late = entries(store, 3);
    await append(events, ...late.slice(0, 2));
    await append(events, kept, ...late);
    const read = await readAll(events, store, 2);
    expect(read.map(({ id, sequence }) => [id, sequence - begin])).toEqual(
      late.map(({ id }, index) => [id, index + 1]),
    );
    expect((await page(events, store, { after: begin })).data).toEqual(read);
    await expect(page(events, store, { after })).rejects.toMatchObject(expired);
  }
});

test('a fence that is repeated, and a dry run, restart nothing', async () => {
  const storeIds = [randomUUID(), randomUUID()] as const;
  await append(events, ...storeIds.map((storeId) => entryOf(storeId)));
  const since = new Date().toISOString();
  const before = await endOf(storeIds[0]);
  const feeds = await fence(since, true);
  expect(feeds).toBeGreaterThanOrEqual(2);
  expect(await endOf(storeIds[0])).toBe(before);
  expect(await fence(since)).toBe(feeds);
  const begin = await endOf(storeIds[0]);
  await append(events, entryOf(storeIds[0]), entryOf(randomUUID()));
  expect([await fence(since, true), await fence(since), await endOf(storeIds[0])]).toEqual([0, 0, begin + 1]);
});

test('numbers and versions of a second restore are above those that it has lost with the first fence', async () => {
  const [storeId, entityId] = [randomUUID(), randomUUID()];
  const first = entryOf(storeId, { entityId });
  await append(events, first);
  const backup = await events.backUp();
  await fence(backup.at);
  // The positions of feed entries go back with the database.
  const again = () => ({ ...entryOf(storeId, { entityId }), entity: { ...first.entity } });
  await append(events, again(), again());
  const [lost] = (await readAll(events, storeId)).slice(-1);
  await backup.restore();
  await fence(backup.at);
  await append(events, again());
  const [next] = await readAll(events, storeId);
  expect(next?.sequence).toBeGreaterThan(Number(lost?.sequence));
  expect(next?.entity.version).toBeGreaterThan(Number(lost?.entity.version));
  expect(Number.isSafeInteger(next?.entity.version)).toBe(true);
  expect(String(next?.sequence).length).toBeLessThanOrEqual(15);
  await expect(page(events, storeId, { after: lost?.sequence })).rejects.toMatchObject(expired);
});

test('a fence waits for the appends that run, so none gives a number from before it, and readers go on', async () => {
  const storeId = randomUUID();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const appending = events.adminSql.begin(async (sql) => {
    await sql`insert into feeds (store_id, last_sequence, last_appended_at) values (${storeId}, 1, now())`;
    hold();
    await released;
  });
  await held;
  const fencing = fence(new Date().toISOString());
  const waits = () => events.adminSql`
    select 1 from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and relation = 'feeds'::regclass and mode = 'ExclusiveLock' and not granted`;
  await waitFor(async () => (await waits()).length > 0, { description: 'the fence waits' });
  expect((await events.rpc.call(listEvents, { query: {} }, testContext({ storeId }))).data).toEqual([]);
  release();
  await appending;
  expect(await fencing).toBeGreaterThanOrEqual(1);
  await expect(page(events, storeId, { after: 1 })).rejects.toMatchObject(expired);
});

test('a webhook endpoint gets each event once across a fence, also one that was behind', async () => {
  const storeId = randomUUID();
  const create = async () =>
    (
      await events.rpc.call(
        createWebhookEndpoint,
        { body: { url: 'https://127.0.0.1/hook' } },
        testContext({ storeId }),
      )
    ).id;
  const [before, after] = [entryOf(storeId), entryOf(storeId)];
  await append(events, before);
  const [current, behind] = [await create(), await create()];
  await events.adminSql`update webhook_endpoints set planned_through = 0 where id = ${behind}`;
  await fence(new Date().toISOString());
  const begin = await endOf(storeId);
  const placeOf = async (id: string) => {
    const [row] = await events.adminSql`select planned_through from webhook_endpoints where id = ${id}`;
    return Number(row?.planned_through);
  };
  expect([await placeOf(current), await placeOf(behind)]).toEqual([begin, 0]);
  const plan = async () => {
    for (const id of [current, behind]) await planDeliveries(events.dependencies, { store_id: storeId, id });
  };
  for (const _ of ['the events before the fence', 'none']) await plan();
  expect([await placeOf(current), await placeOf(behind)]).toEqual([begin, begin]);
  await append(events, after);
  await plan();
  const deliveriesOf = async (id: string) => {
    const rows = await events.adminSql`
      select event_id from webhook_deliveries where endpoint_id = ${id} order by sequence`;
    return rows.map(({ event_id }) => event_id);
  };
  expect(await deliveriesOf(current)).toEqual([after.id]);
  expect(await deliveriesOf(behind)).toEqual([before.id, after.id]);
});
