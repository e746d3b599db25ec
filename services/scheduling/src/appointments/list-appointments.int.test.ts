import { randomUUID } from 'node:crypto';
import { type Appointment, listAppointments, type RequestOf, updateAppointment } from '@mostrador/contracts';
import { encodeCursor } from '@mostrador/kit/database/paging';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling();
});
afterAll(() => scheduling?.stop());

type Query = RequestOf<typeof listAppointments>['query'];
type List = { data: Appointment[]; total: number; page: number; limit: number };

const list = async (storeId: string, query: Query = {}): Promise<List & { cursor: string | undefined }> => {
  const { body, headers } = await scheduling.rpc.forward(listAppointments, { query }, testContext({ storeId }));
  return { ...JSON.parse(Buffer.from(body).toString()), cursor: headers.nextCursor };
};
/** Inserts `count` appointments an hour apart. Every third has the same time as the one before. */
const fill = async (storeId: string, count: number) => {
  const start = Date.UTC(2027, 0, 31);
  const created: Appointment[] = [];
  for (let index = 0; index < count; index += 1) {
    const hour = index % 3 === 2 ? index - 1 : index;
    created.push(await scheduling.create(storeId, { scheduled_at: new Date(start + hour * 3_600_000).toISOString() }));
  }
  return created.sort((a, b) => a.scheduled_at.localeCompare(b.scheduled_at) || a.id.localeCompare(b.id));
};
const idsOf = (appointments: readonly Appointment[]) => appointments.map(({ id }) => id);

test('a store without appointments has an empty first page', async () => {
  expect(await list(randomUUID())).toEqual({ data: [], total: 0, page: 1, limit: 50, cursor: undefined });
});

test('pages and cursors both list by time, then by id, with the exact total', async () => {
  const storeId = randomUUID();
  const expected = await fill(storeId, 10);

  const byPage: List[] = [];
  for (const page of [1, 2, 3, 4]) byPage.push(await list(storeId, { page, limit: 3 }));
  expect(byPage.flatMap(({ data }) => data)).toEqual(expected);
  expect(byPage.map(({ total, page, limit, data }) => [total, page, limit, data.length])).toEqual([
    [10, 1, 3, 3],
    [10, 2, 3, 3],
    [10, 3, 3, 3],
    [10, 4, 3, 1],
  ]);
  expect(await list(storeId, { page: 5, limit: 3 })).toMatchObject({ data: [], total: 10, cursor: undefined });

  const byCursor = [await list(storeId, { limit: 3 })];
  for (let cursor = byCursor[0]?.cursor; cursor; cursor = byCursor.at(-1)?.cursor) {
    byCursor.push(await list(storeId, { limit: 3, cursor }));
  }
  expect(byCursor.flatMap(({ data }) => data)).toEqual(expected);
  expect(byCursor.map(({ total, page }) => [total, page])).toEqual([1, 2, 3, 4].map((page) => [10, page]));
});

test('a full last page has no next page', async () => {
  const storeId = randomUUID();
  await fill(storeId, 3);
  expect((await list(storeId, { limit: 3 })).cursor).toBeUndefined();
});

test('a row inserted into a page that was already read does not shift the next cursor page', async () => {
  const storeId = randomUUID();
  const expected = await fill(storeId, 4);
  const first = await list(storeId, { limit: 2 });
  await scheduling.create(storeId, { scheduled_at: '2027-01-01T00:00:00Z' });
  const second = await list(storeId, { limit: 2, cursor: first.cursor });
  expect(idsOf([...first.data, ...second.data])).toEqual(idsOf(expected));
  expect(second.total).toBe(4);
});

test('the list filters by status, lead, from (inclusive) and to (exclusive), with any UTC offset', async () => {
  const storeId = randomUUID();
  const lead_id = scheduling.addLead(storeId);
  const withLead = await scheduling.create(storeId, { lead_id, scheduled_at: '2027-01-31T09:00:00Z' });
  const without = await scheduling.create(storeId, { scheduled_at: '2027-01-31T10:00:00Z' });
  const cancelled = await scheduling.create(storeId, { scheduled_at: '2027-01-31T11:00:00Z' });
  const params = { appointmentId: cancelled.id };
  await scheduling.rpc.call(updateAppointment, { params, body: { status: 'cancelled' } }, testContext({ storeId }));

  const ids = async (query: Query) => idsOf((await list(storeId, query)).data);
  expect(await ids({ lead_id })).toEqual([withLead.id]);
  expect(await ids({ status: 'scheduled' })).toEqual([withLead.id, without.id]);
  expect(await ids({ status: 'cancelled' })).toEqual([cancelled.id]);
  expect(await ids({ from: '2027-01-31T07:00:00-03:00' })).toEqual([without.id, cancelled.id]);
  expect(await ids({ to: '2027-01-31T10:00:00Z' })).toEqual([withLead.id]);
  expect(await ids({ from: '2027-01-31T10:00:00Z', to: '2027-01-31T11:00:00Z' })).toEqual([without.id]);
  expect(await list(storeId, { status: 'scheduled', limit: 1 })).toMatchObject({ total: 2 });
});

test('the list holds no appointment of another store', async () => {
  await fill(randomUUID(), 2);
  expect(await list(randomUUID())).toMatchObject({ data: [], total: 0 });
});

test('`page` together with `cursor` is rejected', async () => {
  const storeId = randomUUID();
  await fill(storeId, 2);
  const { cursor } = await list(storeId, { limit: 1 });
  await expect(list(storeId, { limit: 1, cursor, page: 2 })).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ in: 'query', name: 'page', detail: expect.any(String) }] },
  });
});

test('a cursor works only with its own filters, and any other text is rejected', async () => {
  const storeId = randomUUID();
  await fill(storeId, 3);
  const from = '2027-01-01T00:00:00Z';
  const { cursor } = await list(storeId, { limit: 1, from });
  await expect(list(storeId, { limit: 1, from: '2026-12-31T21:00:00-03:00', cursor })).resolves.toBeDefined();
  const refused = expect.objectContaining({ code: 'validation_failed' });
  await expect(list(storeId, { limit: 1, from: '2027-01-02T00:00:00Z', cursor })).rejects.toThrow(refused);
  await expect(list(storeId, { limit: 1, cursor })).rejects.toThrow(refused);
  await expect(list(storeId, { cursor: 'x' })).rejects.toThrow(refused);
  await expect(list(storeId, { cursor: encodeCursor({ id: "'" }, {}) })).rejects.toThrow(refused);
});

test('a page of the 200 largest appointments fits into one answer', async () => {
  const storeId = randomUUID();
  const largest = {
    // Each takes six bytes as JSON.
    title: '\u0001'.repeat(200),
    notes: '\u0001'.repeat(5000),
    metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`m${n}`, 'x'.repeat(471)])),
  };
  for (let batch = 0; batch < 20; batch++) {
    await Promise.all(Array.from({ length: 10 }, () => scheduling.create(storeId, largest)));
  }
  const page = await list(storeId, { limit: 200 });
  expect(page.data).toHaveLength(200);
  expect(JSON.stringify(page).length).toBeGreaterThan(7_800_000);
});
