import { randomUUID } from 'node:crypto';
import { changeSchedulingSettings, getSchedulingSettings, getStoreSettings } from '@mostrador/contracts';
import { createRpcServer, type RpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';

let scheduling: TestScheduling;
let accounts: RpcServer;
beforeAll(async () => {
  scheduling = await startScheduling();
  accounts = createRpcServer({
    nats: scheduling.nats.nats,
    service: 'accounts',
    operations: { getStoreSettings },
    handlers: { getStoreSettings: async () => ({ timezone: 'UTC', locale: 'en' }) },
    log: silentLog(),
  });
  await scheduling.nats.nats.flush();
});
afterAll(async () => {
  await accounts?.drain();
  await scheduling?.stop();
});

const read = (storeId: string) => scheduling.rpc.call(getSchedulingSettings, {}, testContext({ storeId }));
const change = (storeId: string, body: object) =>
  scheduling.rpc.call(changeSchedulingSettings, { body }, testContext({ storeId }));

test('a setting that is not given stays, and another store keeps its own', async () => {
  const storeId = randomUUID();
  const defaults = { sending_windows: [], calendar_customer: false };
  expect(await read(storeId)).toEqual(defaults);
  expect(await change(storeId, { calendar_customer: true })).toEqual({ ...defaults, calendar_customer: true });
  const windows = [{ weekdays: ['monday'], from: '09:00', to: '18:00' }];
  const changed = { sending_windows: windows, calendar_customer: true };
  expect(await change(storeId, { sending_windows: windows })).toEqual(changed);
  expect(await read(storeId)).toEqual(changed);
  expect(await read(randomUUID())).toEqual(defaults);
});
