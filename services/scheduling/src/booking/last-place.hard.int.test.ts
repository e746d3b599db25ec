import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outcomeOf, startBooking, type TestBooking } from '../../test/booking.ts';

let booking: TestBooking;
beforeAll(async () => {
  booking = await startBooking();
});
afterAll(() => booking?.stop());

const start = '2027-01-15T09:00:00.000Z';
/** Nothing was done, or it is not known: a client sends the request again with its key. */
const again = new Set(['service_unavailable', 'upstream_timeout', 'idempotency_in_progress', 'internal_error']);

test('of 100 requests for the last place one gets it, also when every database session is killed over and over', async () => {
  const storeId = await booking.store({ capacity: 2 });
  await booking.book(storeId, start);
  let kills = 0;
  const done = new AbortController();
  const killing = (async () => {
    while (!done.signal.aborted && kills < 200) {
      const killed = await booking.adminSql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename like 'scheduling%'`;
      kills += killed.length;
      await pause(5);
    }
  })();
  const settle = async (index: number): Promise<string> => {
    for (;;) {
      const outcome = await outcomeOf(booking.book(storeId, start, {}, { idempotencyKey: `client ${index}` }));
      if (!again.has(outcome)) return outcome;
      await pause(10);
    }
  };
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, index) => settle(index)));
  done.abort();
  await killing;
  expect(kills).toBeGreaterThan(0);
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'appointment_conflict')).toHaveLength(99);
  const taken = await booking.taken(storeId);
  expect(new Set(taken.map(({ place }) => place)).size).toBe(2);
  const appointments = await booking.adminSql`select id from appointments where store_id = ${storeId}`;
  expect(appointments.map(({ id }) => id).toSorted()).toEqual(taken.map(({ id }) => id).toSorted());
}, 120_000);
