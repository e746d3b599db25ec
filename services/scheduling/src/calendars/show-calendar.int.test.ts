import { randomUUID } from 'node:crypto';
import { connectCalendar, getCalendarConnection, showCalendar } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { scriptedCalendar } from '../../test/scripted-calendar.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling({ openProvider: scriptedCalendar().open });
});
afterAll(() => scheduling?.stop());

const show = (storeId: string) => scheduling.rpc.call(showCalendar, {}, testContext({ storeId }));
const get = (storeId: string) => scheduling.rpc.call(getCalendarConnection, {}, testContext({ storeId }));

test('a store without a calendar shows `not_connected`, and its sending windows', async () => {
  const storeId = randomUUID();
  const sending_windows = [{ weekdays: ['monday' as const], from: '09:00', to: '18:00' }];
  const none = { provider: null, status: 'not_connected', reason: null };
  expect(await get(storeId)).toEqual({ ...none, sending_windows: [] });
  await scheduling.adminSql`
    insert into store_settings (store_id, sending_windows)
    values (${storeId}, ${scheduling.adminSql.json(sending_windows)})`;
  expect(await get(storeId)).toEqual({ ...none, sending_windows });
  expect(await show(storeId)).toMatchObject({ provider: null, status: 'not_connected', connected_at: null });
});

test('the connection is shown without its secrets and with the counts of unfinished syncs', async () => {
  const storeId = randomUUID();
  const url = 'https://dav.example.com/store/';
  const body = { provider: 'caldav' as const, url, username: 'store', secrets: { password: 'open sesame' } };
  await scheduling.rpc.call(connectCalendar, { body }, testContext({ storeId }));
  await scheduling.create(storeId);
  const stuck = await scheduling.create(storeId);
  await scheduling.adminSql`
    update calendar_syncs
    set state = 'needs_attention', next_attempt_at = null, last_error_code = 'x', last_error_detail = 'y'
    where appointment_id = ${stuck.id}`;
  await scheduling.adminSql`
    update calendar_connections
    set status = 'needs_attention', last_error_code = 'unauthorized', last_error_detail = 'The password was refused.'
    where store_id = ${storeId}`;

  const shown = await show(storeId);
  expect(shown).toEqual({
    provider: 'caldav',
    status: 'needs_attention',
    reason: null,
    url,
    username: 'store',
    calendar_id: null,
    last_error: 'unauthorized: The password was refused.',
    connected_at: expect.stringMatching(/Z$/),
    feed_url: null,
    show_customer: false,
    read_at: null,
    reading_error: null,
    appointments_pending: 1,
    appointments_failing: 0,
    appointments_needing_attention: 1,
  });
  expect(await get(storeId)).toEqual({
    provider: 'caldav',
    status: 'needs_attention',
    reason: null,
    sending_windows: [],
  });
});
