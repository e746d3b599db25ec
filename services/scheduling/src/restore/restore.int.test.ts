import {
  connectCalendar,
  fenceScheduling,
  getCalendarSync,
  listLostEvents,
  releaseFollowups,
  syncCalendarEvent,
  updateAppointment,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { readEvents } from '@mostrador/testing/providers/caldav/read-events';
import { type CaldavServer, startRadicale } from '@mostrador/testing/providers/caldav/servers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startFollowups, type TestFollowups } from '../../test/followups.ts';
import { inHours, startScheduling, type TestScheduling } from '../../test/scheduling.ts';

/** Long, because the first run installs the server. */
const installTimeoutMs = 10 * 60_000;

let scheduling: TestScheduling;
let followups: TestFollowups;
let radicale: CaldavServer;
beforeAll(async () => {
  [scheduling, radicale] = await Promise.all([startScheduling(), startRadicale()]);
}, installTimeoutMs);
afterAll(() => Promise.all([scheduling?.stop(), radicale?.dispose()]));
beforeEach(async () => {
  followups = await startFollowups(scheduling);
  await connect();
});
afterEach(() => followups?.stop());

const context = () => testContext({ storeId: followups.storeId });
const connect = () => {
  const { collectionUrl: url, username, password } = radicale;
  return scheduling.rpc.call(
    connectCalendar,
    { body: { provider: 'caldav', url, username, secrets: { password } } },
    context(),
  );
};
const sync = (appointment_id: string) =>
  scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id } }, context());
const stateOf = async (appointmentId: string) =>
  (await scheduling.rpc.call(getCalendarSync, { params: { appointmentId } }, context())).state;
const change = async (appointmentId: string, body: object) => {
  await scheduling.rpc.call(updateAppointment, { params: { appointmentId }, body }, context());
  await sync(appointmentId);
};
const fence = (since: string, dry_run = false) =>
  scheduling.rpc.call(fenceScheduling, { body: { since, dry_run } }, testContext());
const titleOf = async (appointmentId: string) =>
  (await readEvents(radicale)).find(({ uid }) => uid === `${appointmentId}@mostrador`)?.title;
/** A follow-up that is due now. */
const createDue = async () => {
  const { id } = await followups.create();
  await scheduling.adminSql`update followups set due_at = now(), next_attempt_at = now() - interval '1 second' where id = ${id}`;
  return id;
};

test('follow-ups that went out after the backup do not go out again until an operator releases them', async () => {
  const [sent, unsent] = [await createDue(), await createDue()];
  const { id: later } = await followups.create({ due_at: inHours(1) });
  const backup = await scheduling.backUp();
  const since = backup.at;
  await followups.step(sent);
  expect(await followups.read(sent)).toMatchObject({ status: 'sent' });
  await backup.restore();
  expect(await followups.read(sent)).toMatchObject({ status: 'pending' });

  expect(await fence(since, true)).toMatchObject({ held: 2 });
  expect(await followups.read(sent)).toMatchObject({ error: null });
  expect(await fence(since)).toMatchObject({ held: 2, waiting: 2 });
  for (const id of [sent, unsent]) expect(await followups.step(id)).toMatchObject({ done: false });
  expect([sent, unsent].map(followups.askedOf)).toEqual([1, 0]);
  expect(await followups.read(sent)).toMatchObject({ status: 'pending', error: { code: 'restored' } });
  expect(await followups.read(later)).toMatchObject({ status: 'pending', error: null });

  await followups.cancel(sent);
  const release = (body: { followup_id?: string }) => scheduling.rpc.call(releaseFollowups, { body }, context());
  expect(await release({ followup_id: sent })).toEqual({ released: 0 });
  expect(await release({})).toEqual({ released: 1 });
  expect(await fence(since)).toMatchObject({ held: 0, waiting: 0 });
  expect(await followups.step(unsent)).toMatchObject({ done: true });
  expect([sent, unsent].map(followups.askedOf)).toEqual([1, 1]);
});

test('a follow-up that was being sent at the backup is held, and one that messaging had accepted asks for its outcome', async () => {
  const [claimed, accepted] = [await createDue(), await createDue()];
  await scheduling.adminSql`
    update followups
    set status = 'sending', lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'
    where id = ${claimed}`;
  await scheduling.adminSql`update followups set status = 'sending', message_id = id where id = ${accepted}`;
  expect(await fence((await followups.read(accepted)).created_at)).toMatchObject({
    held: 1,
    first: [{ store_id: followups.storeId, id: claimed }],
  });
  await followups.step(claimed);
  expect(followups.askedOf(claimed)).toBe(0);
  expect(await followups.step(accepted)).toMatchObject({ done: true });
  await followups.cancel(claimed);
});

test('a held follow-up that is not released fails 14 days after it was due', async () => {
  const id = await createDue();
  await fence((await followups.read(id)).created_at);
  await scheduling.adminSql`
    update followups set due_at = due_at - interval '15 days', next_attempt_at = next_attempt_at - interval '15 days'
    where id = ${id}`;
  expect(await followups.step(id)).toMatchObject({ done: true, reason: 'failed (followup_expired)' });
});

test('after a restore and a fence the calendar shows the restored appointments, also those that change again', async () => {
  const [moved, changed, same] = await Promise.all(
    ['moved', 'changed', 'same'].map((title) => scheduling.create(followups.storeId, { title })),
  );
  const ids = [moved, changed, same].map((appointment) => String(appointment?.id));
  const [movedId = '', changedId = '', sameId = ''] = ids;
  for (const id of ids) await sync(id);
  const backup = await scheduling.backUp();
  const since = backup.at;
  for (const lost of ['lost once', 'lost twice']) {
    await change(movedId, { title: lost });
    await change(changedId, { title: lost });
  }
  await backup.restore();
  expect(await stateOf(movedId)).toBe('synced');
  expect(await titleOf(movedId)).toBe('lost twice');

  expect(await fence(since)).toMatchObject({ events: 3 });
  expect(await stateOf(movedId)).toBe('pending');
  await change(changedId, { title: 'changed again' });
  for (const id of ids) expect(await sync(id)).toMatchObject({ done: true });
  expect(await Promise.all(ids.map(titleOf))).toEqual(['moved', 'changed again', 'same']);
  expect(await fence(since)).toMatchObject({ events: 0 });
  await change(movedId, { title: 'moved again' });
  expect(await titleOf(movedId)).toBe('moved again');
  expect(await titleOf(sameId)).toBe('same');
});

test('events whose appointments are lost are listed, and those of another store are not', async () => {
  await sync((await scheduling.create(followups.storeId)).id);
  const backup = await scheduling.backUp();
  const { id, title, scheduled_at } = await scheduling.create(followups.storeId);
  await sync(id);
  await backup.restore();
  const lost = (storeId: string) =>
    scheduling.rpc.call(listLostEvents, { body: { since: backup.at } }, testContext({ storeId }));
  // A calendar knows no milliseconds.
  const events = [{ appointment_id: id, title, scheduled_at: scheduled_at.replace(/\.\d+/, '.000') }];
  expect(await lost(followups.storeId)).toEqual({ appointments: [id], events, error: null });
  const other = followups.storeId;
  followups = await startFollowups(scheduling);
  await connect();
  expect(followups.storeId).not.toBe(other);
  expect(await lost(followups.storeId)).toEqual({ appointments: [], events: [], error: null });
});

test('after a restore without a fence, connecting the calendar again brings the restored appointments', async () => {
  const { id } = await scheduling.create(followups.storeId, { title: 'restored' });
  await sync(id);
  const backup = await scheduling.backUp();
  for (const title of ['lost once', 'lost twice']) await change(id, { title });
  await backup.restore();
  await connect();
  await sync(id);
  expect(await titleOf(id)).toBe('restored');
});
