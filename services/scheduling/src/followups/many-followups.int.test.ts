import { randomUUID } from 'node:crypto';
import { replanFollowups, updateSendingWindows } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startFollowups, type TestFollowups } from '../../test/followups.ts';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { cancelFollowups } from './cancel-followups.ts';

// Operations that work in batches, with more rows than one batch holds.

let scheduling: TestScheduling;
let followups: TestFollowups;
beforeAll(async () => {
  scheduling = await startScheduling();
});
beforeEach(async () => {
  followups = await startFollowups(scheduling);
});
afterEach(() => followups.stop());
afterAll(() => scheduling?.stop());

const context = () => testContext({ storeId: followups.storeId });
/** Noon UTC of the day after tomorrow, when all of these follow-ups are due. */
const noon = () => new Date(Math.floor(Date.now() / 86_400_000 + 2) * 86_400_000 + 12 * 3_600_000);
async function insert(count: number, leadId = followups.leadId): Promise<void> {
  await scheduling.adminSql`
    insert into followups (store_id, lead_id, message, due_at, next_attempt_at, cancel_on_reply, cancel_on_appointment)
    select ${followups.storeId}, ${leadId}, 'Hello', ${noon()}, ${noon()}, true, false from generate_series(1, ${count}::int)`;
}
const everyDay = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const open = (from: string, to: string) => [{ weekdays: [...everyDay], from, to }];
const setWindows = (windows: ReturnType<typeof open>) =>
  scheduling.rpc.call(updateSendingWindows, { body: { windows } }, context());
/** The number of planned attempts by hour of the day in UTC. */
const hours = async () =>
  Object.fromEntries(
    (
      await scheduling.adminSql<{ hour: number; count: number }[]>`
        select extract(hour from next_attempt_at at time zone 'UTC')::int as hour, count(*)::int as count from followups
        where store_id = ${followups.storeId} and due_at = ${noon()} group by 1`
    ).map(({ hour, count }) => [hour, count]),
  );
const rescheduled = async () =>
  (await scheduling.wakeUps(followups.storeId)).filter(({ signal }) => signal === 'rescheduled');

test('a new window moves 2,100 follow-ups with one wake-up each, and the same window again moves none', async () => {
  await insert(2_100);
  await setWindows(open('15:00', '18:00'));
  expect(await hours()).toEqual({ 15: 2_100 });
  const first = await rescheduled();
  expect(new Set(first.map(({ entity_id }) => entity_id)).size).toBe(2_100);
  await setWindows(open('15:00', '18:00'));
  expect(await rescheduled()).toHaveLength(first.length);
  await setWindows(open('00:00', '24:00'));
  expect(await hours()).toEqual({ 12: 2_100 });
});

test('a change of the time zone moves 1,100 follow-ups', async () => {
  await setWindows(open('15:00', '18:00'));
  await insert(1_100);
  followups.world.timezone = 'Asia/Tokyo';
  await scheduling.rpc.call(replanFollowups, {}, context());
  // Noon UTC is after 18:00 in Tokyo, so the next opening is 15:00 of the next day, which is 06:00 UTC.
  expect(await hours()).toEqual({ 6: 1_100 });
  expect(await rescheduled()).toHaveLength(1_100);
});

test('one reply cancels all follow-ups of the lead across batches, and none of another lead', async () => {
  await insert(1_100);
  const other = randomUUID();
  await insert(3, other);
  const cause = { leadId: followups.leadId, reason: 'lead_replied' } as const;
  const cancel = () =>
    scheduling.dependencies.database.write({ storeId: followups.storeId, deadline: Date.now() + 30_000 }, (sql) =>
      cancelFollowups(sql, followups.storeId, cause),
    );
  expect(await cancel()).toBe(1_100);
  expect(await cancel()).toBe(0);
  const counts = await scheduling.adminSql`
    select lead_id, status, count(*)::int from followups where store_id = ${followups.storeId} group by 1, 2`;
  expect(counts).toHaveLength(2);
  expect(counts).toContainEqual({ lead_id: followups.leadId, status: 'cancelled', count: 1_100 });
  expect(counts).toContainEqual({ lead_id: other, status: 'pending', count: 3 });
  const wakeUps = await scheduling.wakeUps(followups.storeId);
  expect(new Set(wakeUps.map(({ entity_id }) => entity_id)).size).toBe(1_100);
  expect(await scheduling.events(followups.storeId)).toHaveLength(1_100);
});
