import { randomUUID } from 'node:crypto';
import { connectCalendar, disconnectCalendar, getCalendarSync, syncCalendarEvent } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling();
});
afterAll(() => scheduling?.stop());

const notConnected = {
  state: 'not_connected',
  provider: null,
  event_id: null,
  attempts: 0,
  last_error: null,
  reason: null,
  next_attempt_at: null,
  synced_at: null,
};
const read = (storeId: string, appointmentId: string) =>
  scheduling.rpc.call(getCalendarSync, { params: { appointmentId } }, testContext({ storeId }));

test('without a calendar the state is `not_connected`', async () => {
  const { id, store_id } = await scheduling.create(randomUUID());
  expect(await read(store_id, id)).toEqual(notConnected);
});

test('the state goes from pending to synced with the event id, and to `not_connected` after a disconnect', async () => {
  const storeId = randomUUID();
  const context = () => testContext({ storeId });
  await scheduling.rpc.call(connectCalendar, { body: { provider: 'feed' } }, context());
  const { id } = await scheduling.create(storeId);
  expect(await read(storeId, id)).toMatchObject({
    state: 'pending',
    provider: 'feed',
    event_id: null,
    synced_at: null,
  });

  await scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id: id } }, context());
  expect(await read(storeId, id)).toEqual({
    state: 'synced',
    provider: 'feed',
    event_id: `${id}@mostrador`,
    attempts: 1,
    last_error: null,
    reason: null,
    next_attempt_at: null,
    synced_at: expect.stringMatching(/Z$/),
  });

  await scheduling.rpc.call(disconnectCalendar, {}, context());
  expect(await read(storeId, id)).toEqual(notConnected);
});

test('another store’s appointment is not found', async () => {
  const { id } = await scheduling.create(randomUUID());
  await expect(read(randomUUID(), id)).rejects.toMatchObject({ code: 'appointment_not_found' });
});
