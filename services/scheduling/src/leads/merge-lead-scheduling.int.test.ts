import { randomUUID } from 'node:crypto';
import {
  closeSchedulingReports,
  connectCalendar,
  createFollowup,
  getAppointment,
  getCalendarSync,
  listAppointments,
  listFollowups,
  mergeLeadScheduling,
  reportLeadScheduling,
  summarizeScheduling,
  verifySchedulingReports,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inHours, startScheduling, type TestScheduling } from '../../test/scheduling.ts';

let scheduling: TestScheduling;
let storeId: string;
let keptId: string;
let goneId: string;
beforeAll(async () => {
  scheduling = await startScheduling();
});
afterAll(() => scheduling?.stop());
beforeEach(() => {
  storeId = randomUUID();
  [keptId, goneId] = [scheduling.addLead(storeId), scheduling.addLead(storeId)];
});

const context = () => testContext({ storeId });
const merge = (asked = storeId) =>
  scheduling.rpc.call(
    mergeLeadScheduling,
    { body: { lead_id: goneId, merged_into: keptId } },
    testContext({ storeId: asked }),
  );
const book = (lead_id: string) => scheduling.create(storeId, { lead_id });
const plan = (lead_id: string) =>
  scheduling.rpc.call(createFollowup, { body: { lead_id, message: 'Olá', due_at: inHours(2) } }, context());
const read = (appointmentId: string) => scheduling.rpc.call(getAppointment, { params: { appointmentId } }, context());
const appointmentsOf = async (lead_id: string) =>
  (await scheduling.rpc.call(listAppointments, { query: { lead_id } }, context())).data;
const followupsOf = async (lead_id: string) =>
  (await scheduling.rpc.call(listFollowups, { query: { lead_id } }, context())).data;
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).toSorted();

test('appointments and follow-ups move to the lead that stays, and those of other leads stay', async () => {
  const other = scheduling.addLead(storeId);
  const [own, moved] = [await book(keptId), await book(goneId), await book(other)];
  const [ownFollowup, movedFollowup] = [await plan(keptId), await plan(goneId), await plan(other)];
  expect(await merge()).toEqual({ appointments: 1, followups: 1 });
  expect(ids(await appointmentsOf(keptId))).toEqual(ids([own, moved]));
  expect(ids(await followupsOf(keptId))).toEqual(ids([ownFollowup, movedFollowup]));
  expect([await appointmentsOf(goneId), await followupsOf(goneId)]).toEqual([[], []]);
  expect(await appointmentsOf(other)).toHaveLength(1);
});

test('a repeated merge, and one of leads without rows or of another store, changes nothing', async () => {
  const { id } = await book(goneId);
  const none = { appointments: 0, followups: 0 };
  expect(await merge(randomUUID())).toEqual(none);
  await merge();
  const before = await read(id);
  expect(before.lead_id).toBe(keptId);
  expect(await merge()).toEqual(none);
  expect(await read(id)).toEqual(before);
});

test('a moved appointment has changed for the API, and its calendar stays up to date without a sync', async () => {
  await scheduling.rpc.call(connectCalendar, { body: { provider: 'feed' } }, context());
  const before = await book(goneId);
  const { adminSql } = scheduling;
  // As after a sync.
  await adminSql`
    insert into calendar_syncs (store_id, appointment_id, connection_id, state, desired_version, synced_version, synced_at)
    select store_id, ${before.id}, id, 'synced', 1, 1, now() from calendar_connections where store_id = ${storeId}
    on conflict (store_id, appointment_id) do update
    set state = 'synced', next_attempt_at = null, synced_version = 1, synced_at = now()`;
  const sync = () => scheduling.rpc.call(getCalendarSync, { params: { appointmentId: before.id } }, context());
  const wakeUps = await scheduling.wakeUps(storeId);
  const shown = await sync();
  await merge();
  const after = await read(before.id);
  expect(after).toEqual({ ...before, lead_id: keptId, updated_at: expect.any(String) });
  expect(after.updated_at > before.updated_at).toBe(true);
  const [row] = await adminSql`
    select a.version, state, desired_version, synced_version from appointments a
    join calendar_syncs on appointment_id = a.id where a.id = ${before.id}`;
  expect(row).toEqual({ version: 2, state: 'synced', desired_version: 2, synced_version: 2 });
  expect(await sync()).toEqual(shown);
  expect(await scheduling.wakeUps(storeId)).toEqual(wakeUps);
});

test('a pending sync of a moved appointment is for its new version', async () => {
  await scheduling.rpc.call(connectCalendar, { body: { provider: 'feed' } }, context());
  const { id } = await book(goneId);
  const { adminSql } = scheduling;
  await adminSql`
    insert into calendar_syncs (store_id, appointment_id, connection_id, state, desired_version, next_attempt_at)
    select store_id, ${id}, id, 'pending', 1, now() from calendar_connections where store_id = ${storeId}
    on conflict (store_id, appointment_id) do nothing`;
  await merge();
  expect(
    await adminSql`select state, desired_version, synced_version from calendar_syncs where appointment_id = ${id}`,
  ).toEqual([{ state: 'pending', desired_version: 2, synced_version: null }]);
});

test('a lead is busy while an attempt to send its follow-up is running', async () => {
  await book(goneId);
  const { id } = await plan(goneId);
  const lease = (until: Date) => scheduling.adminSql`
    update followups
    set status = 'sending', lease_token = gen_random_uuid(), lease_until = ${until}, next_attempt_at = ${until}
    where id = ${id}`;
  await lease(new Date(Date.now() + 60_000));
  await expect(merge()).rejects.toMatchObject({ code: 'lead_busy', retryAfterSeconds: 1 });
  expect(await appointmentsOf(goneId)).toHaveLength(1);
  await lease(new Date(Date.now() - 1000));
  expect(await merge()).toEqual({ appointments: 1, followups: 1 });
});

test('the reports of the store are as before, and that of the lead that stays has everything', async () => {
  await book(keptId);
  await book(goneId);
  const [settled, pending] = [await plan(goneId), await plan(goneId)];
  const at = new Date(Date.now() - 3 * 3_600_000);
  const { adminSql } = scheduling;
  await adminSql`update appointments set created_at = ${at}, updated_at = ${at} where store_id = ${storeId}`;
  await adminSql`update followups set created_at = ${at}, updated_at = ${at} where store_id = ${storeId}`;
  await adminSql`
    update followups set status = 'cancelled', cancel_reason = 'api', next_attempt_at = null where id = ${settled.id}`;
  while ((await scheduling.rpc.call(closeSchedulingReports, {}, testContext())).more);
  const summary = () => {
    const boundaries = [at.getTime() - 60_000, at.getTime() + 3_600_000];
    return scheduling.rpc.call(summarizeScheduling, { body: { boundaries } }, context());
  };
  const before = await summary();
  await merge();
  expect(await summary()).toEqual(before);
  const body = { lead_id: keptId, from: null, to: null };
  expect(await scheduling.rpc.call(reportLeadScheduling, { body }, context())).toMatchObject({
    appointments: { created: 2 },
    followups: { scheduled: 2, cancelled: 1 },
  });
  const verified = await scheduling.rpc.call(verifySchedulingReports, { body: { after: null } }, testContext());
  expect(verified.wrong).toEqual([]);
  const changed = new Map((await followupsOf(keptId)).map(({ id, updated_at }) => [id, updated_at]));
  expect(changed.get(settled.id)).toBe(at.toISOString());
  expect((changed.get(pending.id) ?? '') > at.toISOString()).toBe(true);
});
