import { randomUUID } from 'node:crypto';
import { getFollowup, updateFollowup, updateSendingWindows } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { testContext } from '@mostrador/testing/context';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startFollowups, type TestFollowups } from '../../test/followups.ts';
import { inHours, startScheduling, type TestScheduling } from '../../test/scheduling.ts';

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

const signals = async () => (await scheduling.wakeUps(followups.storeId)).map(({ signal }) => signal);
const topics = async () => (await scheduling.events(followups.storeId)).map(({ topic }) => topic);
const etagOf = async (followupId: string) => {
  const context = testContext({ storeId: followups.storeId });
  return (await scheduling.rpc.forward(getFollowup, { params: { followupId } }, context)).headers.etag as string;
};

test.each([
  ['later', 48],
  ['earlier', 2],
])('a pending follow-up is moved %s, and the step waits for the new time', async (_where, hours) => {
  const created = await followups.create();
  const due_at = inHours(hours);
  const moved = await followups.change(created.id, { due_at });
  expect(moved).toEqual({ ...created, due_at, next_attempt_at: due_at, updated_at: moved.updated_at });
  expect(moved.updated_at > created.updated_at).toBe(true);
  expect(await followups.read(created.id)).toEqual(moved);
  expect(await followups.step(created.id)).toMatchObject({ done: false, wake_at: due_at });
  expect(await signals()).toEqual(['scheduled', 'rescheduled']);
  expect((await scheduling.events(followups.storeId)).at(-1)).toEqual({
    topic: 'scheduling.followup.updated',
    data: { followup_id: created.id, lead_id: followups.leadId, due_at },
  });
});

test('message, template and conditions are changed, and the send has the new ones', async () => {
  const { id } = await followups.create();
  const template = { name: 'reminder', language: 'pt_BR' };
  const changed = await followups.change(id, {
    message: 'New',
    template,
    cancel_on_reply: false,
    cancel_on_appointment: true,
  });
  expect(changed).toMatchObject({ message: 'New', template, cancel_on_reply: false, cancel_on_appointment: true });
  expect((await scheduling.feed(followups.storeId)).at(-1)).toMatchObject({
    type: 'followup.updated',
    data: { due_at: changed.due_at, object: changed },
  });
  await followups.makeDue(id);
  expect(await followups.step(id)).toMatchObject({ done: true, reason: 'sent' });
  expect(followups.asked).toEqual([expect.objectContaining({ id, message: 'New', template })]);
  expect(followups.asked[0]).not.toHaveProperty('unless_reply_after');
  const { id: other } = await followups.create({ template });
  expect(await followups.change(other, { template: null })).toMatchObject({ template: null });
});

test('an expiry, an appointment and metadata are changed and cleared, and the step waits for the new end', async () => {
  const { id, ...created } = await followups.create({ due_at: inHours(3), metadata: { a: '1', b: '2' } });
  const appointment = await scheduling.create(followups.storeId);
  const expires_at = inHours(4);
  const change = { expires_at, appointment_id: appointment.id, metadata: { a: null, c: '3' } };
  const changed = await followups.change(id, change);
  const shown = { ...change, metadata: { b: '2', c: '3' } };
  expect(changed).toEqual({ id, ...created, ...shown, updated_at: changed.updated_at });
  expect(await followups.change(id, change)).toEqual(changed);
  expect(await signals()).toEqual(['scheduled', 'rescheduled']);
  // The retry of an attempt is due after the end.
  await scheduling.adminSql`
    update followups set next_attempt_at = ${inHours(5)}, error_code = 'x', error_detail = 'x' where id = ${id}`;
  expect(await followups.step(id)).toMatchObject({ wake_at: expires_at });
  const cleared = await followups.change(id, { expires_at: null, appointment_id: null, metadata: null });
  expect(cleared).toMatchObject({ expires_at: null, appointment_id: null, metadata: {} });
});

test('an expiry that is past, or not after `due_at` as it is after the change, is rejected', async () => {
  const { id } = await followups.create({ due_at: inHours(3), expires_at: inHours(5) });
  const before = await followups.read(id);
  const { id: overdue } = await followups.create();
  await scheduling.adminSql`update followups set due_at = now() - interval '2 hours' where id = ${overdue}`;
  for (const [followupId, change, pointer] of [
    [id, { expires_at: inHours(2) }, '#/expires_at'],
    [id, { due_at: inHours(6) }, '#/due_at'],
    [id, { due_at: inHours(7), expires_at: inHours(6) }, '#/expires_at'],
    [overdue, { expires_at: inHours(-1) }, '#/expires_at'],
  ] as const) {
    await expect(followups.change(followupId, change)).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [{ pointer, detail: expect.any(String) }] },
    });
  }
  expect(await followups.read(id)).toEqual(before);
  const moved = { due_at: inHours(6), expires_at: inHours(7) };
  expect(await followups.change(id, moved)).toMatchObject(moved);
});

test('an appointment that the store does not have is rejected', async () => {
  const { id } = await followups.create();
  const other = await scheduling.create(randomUUID());
  for (const appointment_id of [randomUUID(), other.id]) {
    await expect(followups.change(id, { appointment_id })).rejects.toMatchObject({ code: 'appointment_not_found' });
  }
});

test('a change that changes nothing writes nothing, and gives the same ETag', async () => {
  const { id, due_at } = await followups.create({ due_at: inHours(3) });
  const before = [await followups.read(id), await etagOf(id)];
  await followups.change(id, { due_at: due_at.replace('Z', '+00:00'), message: ' Hello ' });
  expect([await followups.read(id), await etagOf(id)]).toEqual(before);
  expect([await signals(), await topics()]).toEqual([['scheduled'], ['scheduling.followup.scheduled']]);
});

test('a follow-up that is no longer pending is not changed, and the answer names its status', async () => {
  const [cancelled, sent] = [await followups.create(), await followups.create()];
  await followups.cancel(cancelled.id);
  await followups.makeDue(sent.id);
  await followups.step(sent.id);
  for (const [{ id }, current_status] of [
    [cancelled, 'cancelled'],
    [sent, 'sent'],
  ] as const) {
    const before = await followups.read(id);
    await expect(followups.change(id, { due_at: inHours(9) })).rejects.toMatchObject({
      code: 'followup_not_pending',
      members: { current_status },
    });
    expect(await followups.read(id)).toEqual(before);
  }
});

test('while a step sends, a change is rejected', async () => {
  const { id } = await followups.create();
  await followups.makeDue(id);
  followups.world.answer = async () => {
    const refused = await followups.change(id, { due_at: inHours(9) }).catch((error) => error);
    expect(refused).toMatchObject({ code: 'followup_not_pending', members: { current_status: 'sending' } });
    return { status: 'sent', error: null };
  };
  expect(await followups.step(id)).toMatchObject({ done: true, reason: 'sent' });
});

test('of a change and a step at the same time one wins, and the other sees it', async () => {
  const winners = { change: 0, step: 0 };
  for (let race = 0; race < 60; race++) {
    const { id } = await followups.create();
    await followups.makeDue(id);
    const due_at = inHours(9);
    const changing = () => followups.change(id, { due_at }).catch((error: unknown) => error);
    const stepping = () => followups.step(id);
    const [first, second] = await Promise.all(race % 2 ? [changing(), stepping()] : [stepping(), changing()]);
    const [change, step] = race % 2 ? [first, second] : [second, first];
    const row = await followups.read(id);
    if (change instanceof AppError) {
      winners.step++;
      expect(change).toMatchObject({ code: 'followup_not_pending' });
      expect([row.status, followups.askedOf(id)]).toEqual(['sent', 1]);
    } else {
      winners.change++;
      expect(step).toMatchObject({ done: false, wake_at: due_at });
      expect([row.status, row.due_at, followups.askedOf(id)]).toEqual(['pending', due_at, 0]);
    }
  }
  expect(winners.change).toBeGreaterThan(0);
  expect(winners.step).toBeGreaterThan(0);
});

test('a new time begins the attempts again; another change leaves them', async () => {
  const { id } = await followups.create();
  await followups.makeDue(id);
  followups.world.answer = async () => {
    throw new AppError('channel_not_connected');
  };
  await followups.step(id);
  const failed = await followups.read(id);
  expect(failed).toMatchObject({ status: 'pending', error: { code: 'channel_not_connected' } });
  expect(await followups.change(id, { message: 'New' })).toMatchObject({
    error: failed.error,
    next_attempt_at: failed.next_attempt_at,
  });
  const due_at = inHours(30);
  expect(await followups.change(id, { due_at })).toMatchObject({ error: null, next_attempt_at: due_at });
  const [row] = await scheduling.adminSql`select attempts, first_attempt_at from followups where id = ${id}`;
  expect(row).toEqual({ attempts: 0, first_attempt_at: null });
});

test('the sending windows apply to the new time', async () => {
  const context = testContext({ storeId: followups.storeId });
  const windows = [{ weekdays: ['monday' as const], from: '09:00', to: '18:00' }];
  await scheduling.rpc.call(updateSendingWindows, { body: { windows } }, context);
  const { id } = await followups.create();
  const sunday = new Date(Date.now() + ((7 - new Date().getUTCDay()) % 7 || 7) * 86_400_000);
  sunday.setUTCHours(12, 0, 0, 0);
  const monday = new Date(sunday.getTime() + 21 * 3_600_000);
  const { next_attempt_at, due_at } = await followups.change(id, { due_at: sunday.toISOString() });
  expect(due_at).toBe(sunday.toISOString());
  expect(Date.parse(String(next_attempt_at)) - monday.getTime()).toBeGreaterThanOrEqual(0);
  expect(Date.parse(String(next_attempt_at)) - monday.getTime()).toBeLessThan(300_000);
});

test('a cancellation under a stale version is rejected, and the follow-up stays pending', async () => {
  const { id } = await followups.create();
  const stale = await etagOf(id);
  const { updated_at } = await followups.change(id, { message: 'New' });
  for (const ifMatch of [stale, '"v9"']) {
    await expect(followups.cancel(id, { ifMatch })).rejects.toMatchObject({ code: 'version_mismatch' });
  }
  expect(await followups.read(id)).toMatchObject({ status: 'pending', updated_at });
  const ifMatch = await etagOf(id);
  const key = { idempotencyKey: 'k', idempotencyScope: `DELETE /followups/scheduled/${id}`, ifMatch };
  expect(await followups.cancel(id, key)).toEqual({ cancelled: true, id });
  expect(await followups.cancel(id, key)).toEqual({ cancelled: true, id });
  await expect(followups.cancel(id, { ifMatch })).rejects.toMatchObject({ code: 'followup_not_pending' });
  expect(await signals()).toEqual(['scheduled', 'rescheduled', 'cancelled']);
});

test('If-Match compares the version, which only changes by the API raise', async () => {
  const { id } = await followups.create();
  const ifMatch = await etagOf(id);
  await followups.makeDue(id);
  expect(await etagOf(id)).not.toBe(ifMatch);
  await followups.change(id, { message: 'One' }, { ifMatch });
  await expect(followups.change(id, { message: 'Two' }, { ifMatch })).rejects.toMatchObject({
    code: 'version_mismatch',
  });
  expect(await followups.read(id)).toMatchObject({ message: 'One' });
});

test('a repeated change with its Idempotency-Key gets the first answer, and has no second effect', async () => {
  const { id } = await followups.create();
  const body = { due_at: inHours(7) };
  const key = { idempotencyKey: 'k', idempotencyScope: `PATCH /followups/scheduled/${id}`, body };
  const first = await followups.change(id, body, key);
  await followups.change(id, { due_at: inHours(8) });
  expect(await followups.change(id, body, key)).toEqual(first);
  expect(await signals()).toEqual(['scheduled', 'rescheduled', 'rescheduled']);
});

test('a follow-up that a restore holds stays held', async () => {
  const { id } = await followups.create();
  await scheduling.adminSql`
    update followups set error_code = 'restored', error_detail = 'Held.', next_attempt_at = due_at + interval '14 days 1 s'
    where id = ${id}`;
  const due_at = inHours(50);
  const changed = await followups.change(id, { due_at });
  expect(changed.error).toMatchObject({ code: 'restored' });
  expect(Date.parse(String(changed.next_attempt_at)) - Date.parse(due_at)).toBe(14 * 86_400_000 + 1000);
});

test('an unknown follow-up and one of another store are not found', async () => {
  const { id } = await followups.create();
  await expect(followups.change(randomUUID(), { message: 'x' })).rejects.toMatchObject({ code: 'followup_not_found' });
  await expect(followups.change(id, { message: 'x' }, { storeId: randomUUID() })).rejects.toMatchObject({
    code: 'followup_not_found',
  });
  expect(await followups.read(id)).toMatchObject({ message: 'Hello' });
});

test.each([
  [{}, '#'],
  [{ due_at: inHours(-1) }, '#/due_at'],
  [{ due_at: inHours(24 * 367) }, '#/due_at'],
  [{ due_at: null }, '#/due_at'],
  [{ due_at: '2027-02-30T00:00:00Z' }, '#/due_at'],
  [{ delay_minutes: 5 }, '#/delay_minutes'],
  [{ message: ' ' }, '#/message'],
  [{ message: 'x'.repeat(4097) }, '#/message'],
  [{ cancel_on_reply: null }, '#/cancel_on_reply'],
  [{ status: 'cancelled' }, '#/status'],
  [{ lead_id: randomUUID() }, '#/lead_id'],
  [{ template: { name: 'a', language: 'pt', components: [{ text: 'x'.repeat(8 * 1024) }] } }, '#/template/components'],
])('%o is rejected', async (body, pointer) => {
  const { id } = await followups.create();
  const changing = scheduling.rpc.call(
    updateFollowup,
    { params: { followupId: id }, body: body as { message: string } },
    testContext({ storeId: followups.storeId }),
  );
  await expect(changing).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [expect.objectContaining({ pointer })] },
  });
});
