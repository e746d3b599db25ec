import { randomUUID } from 'node:crypto';
import { listBusyTimes, mostBusyTimes, type RequestOf } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling();
});
afterAll(() => scheduling?.stop());

type Query = RequestOf<typeof listBusyTimes>['query'];
const day: Query = { from: '2027-02-01T00:00:00Z', to: '2027-02-02T00:00:00Z' };
const busyTimes = (storeId: string, query: Query = day) =>
  scheduling.rpc.call(listBusyTimes, { query }, testContext({ storeId }));
/** A store whose calendar is busy then. */
async function busyStore(...times: readonly (readonly [start: string, end: string])[]): Promise<string> {
  const { adminSql } = scheduling;
  const [store_id, connection_id, href] = [randomUUID(), randomUUID(), 'event'];
  await adminSql`insert into calendar_connections (store_id, id, provider) values (${store_id}, ${connection_id}, 'google')`;
  await adminSql`insert into calendar_watches ${adminSql({ store_id, connection_id })}`;
  await adminSql`insert into calendar_objects ${adminSql({ store_id, connection_id, href })}`;
  const rows = times.map(([starts_at, ends_at]) => ({ store_id, connection_id, href, starts_at, ends_at }));
  await adminSql`insert into calendar_busy_times ${adminSql(rows)}`;
  return store_id;
}
const at = (time: string) => `2027-02-01T${time}:00.000Z`;

test('what the calendar has in the range is listed in order, whole, and as one where it overlaps or touches', async () => {
  const storeId = await busyStore(
    [at('15:00'), at('16:00')],
    [at('09:00'), at('10:00')],
    [at('09:30'), at('11:00')],
    [at('11:00'), at('11:30')],
    ['2027-01-31T22:00:00.000Z', at('01:00')],
    [at('23:00'), '2027-02-03T00:00:00.000Z'],
    ['2027-01-31T20:00:00.000Z', '2027-01-31T21:00:00.000Z'],
    ['2027-02-04T00:00:00.000Z', '2027-02-05T00:00:00.000Z'],
  );
  expect(await busyTimes(storeId)).toEqual({
    data: [
      { start: '2027-01-31T22:00:00.000Z', end: at('01:00') },
      { start: at('09:00'), end: at('11:30') },
      { start: at('15:00'), end: at('16:00') },
      { start: at('23:00'), end: '2027-02-03T00:00:00.000Z' },
    ],
    next_from: null,
  });
  // A range with an offset, whose edges only touch what is before and after it.
  const query = { from: '2027-02-01T08:30:00-03:00', to: '2027-02-01T12:00:00-03:00' };
  expect(await busyTimes(storeId, query)).toEqual({ data: [], next_from: null });
});

test('a store has the busy times of its own calendar only, and none without a calendar', async () => {
  const [storeId, otherId] = [await busyStore([at('09:00'), at('10:00')]), await busyStore([at('12:00'), at('13:00')])];
  expect((await busyTimes(storeId)).data).toEqual([{ start: at('09:00'), end: at('10:00') }]);
  expect((await busyTimes(otherId)).data).toEqual([{ start: at('12:00'), end: at('13:00') }]);
  expect(await busyTimes(randomUUID())).toEqual({ data: [], next_from: null });
});

test('more busy times than an answer has are read from `next_from` on, each once', async () => {
  const hour = (n: number) => new Date(Date.parse(day.from) + n * 3_600_000).toISOString();
  const times = Array.from({ length: mostBusyTimes + 1 }, (_, n) => [hour(2 * n), hour(2 * n + 1)] as const);
  const storeId = await busyStore(...times);
  const to = hour(2 * times.length);
  const first = await busyTimes(storeId, { ...day, to });
  expect(first.next_from).toBe(hour(2 * mostBusyTimes));
  const rest = await busyTimes(storeId, { from: String(first.next_from), to });
  expect(rest.next_from).toBeNull();
  expect([...first.data, ...rest.data]).toEqual(times.map(([start, end]) => ({ start, end })));
});

test('a range that is empty, too long or no range is rejected', async () => {
  const refused = async (query: object) =>
    await busyTimes(randomUUID(), query as Query).catch(({ code, members }) => [code, members.errors[0].detail]);
  expect(await refused({ from: day.to, to: day.from })).toEqual(['validation_failed', 'must not be before `from`']);
  expect(await refused({ from: day.from, to: day.from })).toEqual(['validation_failed', 'must be after `from`']);
  expect(await refused({ from: day.from, to: '2028-02-02T00:00:00.001Z' })).toEqual([
    'validation_failed',
    'must be at most 366 days after `from`',
  ]);
  expect(await busyTimes(randomUUID(), { from: day.from, to: '2028-02-02T00:00:00Z' })).toMatchObject({ data: [] });
  await expect(busyTimes(randomUUID(), { from: day.from } as Query)).rejects.toMatchObject({
    code: 'validation_failed',
  });
  await expect(busyTimes(randomUUID(), { ...day, to: 'tomorrow' })).rejects.toMatchObject({
    code: 'validation_failed',
  });
});
