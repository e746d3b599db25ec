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
const change = (storeId: string, appointmentId: string, body: RequestOf<typeof updateAppointment>['body']) =>
  scheduling.rpc.call(updateAppointment, { params: { appointmentId }, body }, testContext({ storeId }));
/** All pages of a list, by cursor. */
const walk = async (storeId: string, query: Query) => {
  const pages = [await list(storeId, query)];
  for (let cursor = pages[0]?.cursor; cursor; cursor = pages.at(-1)?.cursor) {
    pages.push(await list(storeId, { ...query, cursor }));
  }
  return pages;
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

  const byCursor = await walk(storeId, { limit: 3 });
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

test('`none` lists the appointments without a seller, with the exact total and in every page', async () => {
  const storeId = randomUUID();
  const [first, second, booked] = await fill(storeId, 3);
  const seller_id = randomUUID();
  await scheduling.adminSql`update appointments set seller_id = ${seller_id} where id = ${booked?.id ?? null}`;
  for (const query of [{}, { sort: 'updated_at' }, { status: 'scheduled' }] as const) {
    const pages = await walk(storeId, { ...query, seller_id: 'none', limit: 1 });
    expect(new Set(pages.flatMap(({ data }) => idsOf(data)))).toEqual(new Set([first?.id, second?.id]));
    expect(pages.map(({ total }) => total)).toEqual([2, 2]);
  }
  expect(await list(storeId, { seller_id: seller_id.toUpperCase() })).toMatchObject({
    total: 1,
    data: [{ seller_id }],
  });
  // A cursor belongs to its filter.
  const { cursor = '' } = await list(storeId, { seller_id: 'none', limit: 1 });
  await expect(list(storeId, { cursor, limit: 1 })).rejects.toMatchObject({ code: 'validation_failed' });
  await expect(list(storeId, { seller_id: 'nobody' })).rejects.toMatchObject({
    members: { errors: [{ in: 'query', name: 'seller_id', detail: 'must be the id of a seller, or `none`' }] },
  });
});

test('the list filters by several statuses, in one order and with the exact total', async () => {
  const storeId = randomUUID();
  const created = await fill(storeId, 8);
  const status = (index: number) => (['scheduled', 'done', 'no_show', 'cancelled'] as const)[index % 4] ?? 'done';
  for (const [index, { id: appointmentId }] of created.entries()) {
    if (status(index) !== 'scheduled') await change(storeId, appointmentId, { status: status(index) });
  }
  const expected = idsOf(created.filter((_, index) => ['done', 'scheduled'].includes(status(index))));
  for (const filter of ['scheduled,done', 'done,scheduled', 'done,scheduled,done']) {
    const pages = await walk(storeId, { status: filter, limit: 3 });
    expect(pages.flatMap(({ data }) => idsOf(data))).toEqual(expected);
    expect(pages.map(({ total }) => total)).toEqual([4, 4]);
  }
  expect(await list(storeId, { status: 'scheduled,done,cancelled,no_show' })).toMatchObject({ total: 8 });
  expect(idsOf((await list(storeId, { status: 'done,scheduled', page: 2, limit: 3 })).data)).toEqual(expected.slice(3));
  await expect(list(storeId, { status: 'done,' })).rejects.toMatchObject({ code: 'validation_failed' });
  await expect(list(storeId, { status: 'done,late' })).rejects.toMatchObject({ code: 'validation_failed' });
});

test('with overlap the list also has what begins before the range and ends in it or after it', async () => {
  const storeId = randomUUID();
  const at = (time: string, minutes: number) =>
    scheduling.create(storeId, { scheduled_at: `2027-01-31T${time}:00Z`, duration_minutes: minutes });
  const names = new Map<string, string>();
  for (const [name, time, minutes] of [
    ['a whole day that ends a minute late', '09:01', 1440],
    ['a whole day', '09:00', 1440],
    ['ends at the beginning', '10:00', 1380],
    ['ends a minute later', '10:00', 1381],
  ] as const) {
    const { id } = await scheduling.create(storeId, {
      scheduled_at: `2027-01-30T${time}:00Z`,
      duration_minutes: minutes,
    });
    names.set(id, name);
  }
  names.set((await at('08:00', 600)).id, 'around the range');
  names.set((await at('08:30', 30)).id, 'just before');
  names.set((await at('08:30', 31)).id, 'into the range');
  names.set((await at('09:00', 1)).id, 'at the beginning');
  names.set((await at('09:30', 600)).id, 'out of the range');
  names.set((await at('10:00', 60)).id, 'at the end');
  const shown = async (query: Query) => (await list(storeId, query)).data.map(({ id }) => names.get(id));
  const range: Query = { from: '2027-01-31T06:00:00-03:00', to: '2027-01-31T10:00:00Z' };
  expect(await shown(range)).toEqual(['at the beginning', 'out of the range']);
  expect(await shown({ ...range, overlap: false })).toEqual(['at the beginning', 'out of the range']);
  const overlapping = [
    'a whole day that ends a minute late',
    'ends a minute later',
    'around the range',
    'into the range',
    'at the beginning',
    'out of the range',
  ];
  expect(await shown({ ...range, overlap: true })).toEqual(overlapping);
  expect(await shown({ ...range, overlap: true, status: 'scheduled,done' })).toEqual(overlapping);
  expect(await shown({ overlap: true, from: String(range.from) })).toEqual([...overlapping, 'at the end']);
  expect(await shown({ overlap: true, to: String(range.from) })).toEqual(await shown({ to: String(range.from) }));
  expect(await list(storeId, { ...range, overlap: true, limit: 1 })).toMatchObject({ total: overlapping.length });
});

test('overlap without a range is rejected', async () => {
  await expect(list(randomUUID(), { overlap: true })).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ in: 'query', name: 'overlap', detail: 'needs `from`, `to` or both' }] },
  });
});

test('the list has what changed after a moment, exclusive to the millisecond, in the order of the changes', async () => {
  const storeId = randomUUID();
  const [first, second, third] = (await fill(storeId, 3)) as [Appointment, Appointment, Appointment];
  const changed = await change(storeId, first.id, { notes: 'Call before' });
  const moved = await change(storeId, second.id, { scheduled_at: '2026-01-01T00:00:00Z' });
  const follow = async (query: Query) => {
    const pages = await walk(storeId, { ...query, sort: 'updated_at', limit: 1 });
    expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([pages.flatMap(({ data }) => data).length]));
    return pages.flatMap(({ data }) => data);
  };
  // A list of changes ends before what may be uncommitted.
  await expect.poll(() => list(storeId, { sort: 'updated_at' })).toMatchObject({ total: 3 });
  expect(await follow({})).toEqual([third, changed, moved]);
  expect(await follow({ updated_after: third.updated_at })).toEqual([changed, moved]);
  expect(await follow({ updated_after: changed.updated_at, status: 'scheduled,done' })).toEqual([moved]);
  expect(await follow({ updated_after: changed.updated_at, status: 'done' })).toEqual([]);
  expect(await follow({ updated_after: moved.updated_at })).toEqual([]);
  expect((await list(storeId, { updated_after: third.updated_at })).data).toEqual([moved, changed]);
  expect(await list(storeId, { updated_after: third.updated_at, limit: 1 })).toMatchObject({ total: 2 });
});

test('the order of changes ends before a change that is not committed, so that a follower misses none', async () => {
  const storeId = randomUUID();
  const [first, second] = (await fill(storeId, 2)) as [Appointment, Appointment];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const open = scheduling.dependencies.database.write(testContext({ storeId }), async (sql) => {
    await sql`update appointments set title = 'Late', updated_at = clock_timestamp()
      where store_id = ${storeId} and id = ${first.id}`;
    begin();
    await released;
  });
  await begun;
  const follow = async (updated_after: string) =>
    (await list(storeId, { sort: 'updated_at', updated_after })).data.map(({ title }) => title);
  await change(storeId, second.id, { title: 'Early' });
  expect(await follow(second.updated_at)).toEqual([]);
  release();
  await open;
  await expect.poll(() => follow(second.updated_at)).toEqual(['Late', 'Early']);
});

test.each(['scheduled_at', 'updated_at'] as const)(
  'with a minus sign %s has the latest first, page by page',
  async (by) => {
    const storeId = randomUUID();
    for (const { id } of (await fill(storeId, 7)).toReversed()) await change(storeId, id, { notes: 'Changed' });
    const inOrder = (await list(storeId, { sort: by })).data.map(({ id }) => id);
    for (const status of [undefined, 'scheduled', 'scheduled,done']) {
      const query = { sort: `-${by}`, limit: 2, ...(status && { status }) } as const;
      const walked: string[] = [];
      for (let page = await list(storeId, query); ; page = await list(storeId, { ...query, cursor: page.cursor })) {
        expect(page.total).toBe(7);
        walked.push(...page.data.map(({ id }) => id));
        if (page.cursor === undefined) break;
      }
      expect(walked).toEqual(inOrder.toReversed());
    }
  },
);

test('a cursor that an earlier version made stays good', async () => {
  const storeId = randomUUID();
  const [first, second] = (await fill(storeId, 2)) as [Appointment, Appointment];
  const query = { status: 'scheduled', from: '2027-01-01T00:00:00.000Z' };
  const at = { scheduled_at: first.scheduled_at, id: first.id };
  const cursor = encodeCursor({ at, page: 1, total: 2 }, query);
  expect((await list(storeId, { ...query, cursor })).data).toEqual([second]);
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
