import { randomUUID } from 'node:crypto';
import { updateMessagingSettings } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { defaultSettings, findSettings } from './settings.repository.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const update = (storeId: string, body: object) =>
  messaging.rpc.call(updateMessagingSettings, { body }, testContext({ storeId }));

test('a member that is not given keeps its value, or its default', async () => {
  const storeId = randomUUID();
  expect(await update(storeId, { message_wait_seconds: 0 })).toEqual({ ...defaultSettings, message_wait_seconds: 0 });
  expect(await update(storeId, { session_idle_hours: 0.5 })).toEqual({
    ...defaultSettings,
    message_wait_seconds: 0,
    session_idle_hours: 0.5,
  });
  expect(await update(storeId, { message_wait_seconds: 2.5, opt_out_stops_api: true, ai_pause_minutes: 60 })).toEqual({
    message_wait_seconds: 2.5,
    session_idle_hours: 0.5,
    opt_out_stops_api: true,
    ai_pause_minutes: 60,
    api_pauses_ai: false,
    monthly_budget: null,
  });
});

test('a budget needs a rate file', async () => {
  const storeId = randomUUID();
  await expect(update(storeId, { monthly_budget: 10 })).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await update(storeId, { monthly_budget: null })).toMatchObject({ monthly_budget: null });
});

test('the table’s defaults equal the settings of a store without a row', async () => {
  const storeId = randomUUID();
  await messaging.adminSql`insert into store_settings (store_id) values (${storeId})`;
  const read = (store: string) =>
    messaging.database.read(testContext({ storeId: store }), (sql) => findSettings(sql, store));
  expect(await read(storeId)).toEqual(defaultSettings);
  expect(await read(randomUUID())).toEqual(defaultSettings);
});

test.each([
  {},
  { message_wait_seconds: 8.1 },
  { message_wait_seconds: -1 },
  { session_idle_hours: 0 },
  { opt_out_stops_api: 'on' },
  { ai_pause_minutes: 0 },
  { ai_pause_minutes: 43_201 },
  { ai_pause_minutes: 1.5 },
  { api_pauses_ai: 'on' },
  { monthly_budget: -1 },
  { monthly_budget: '10' },
  { other: 1 },
])('%j is rejected', async (body) => {
  await expect(update(randomUUID(), body)).rejects.toThrow();
});
