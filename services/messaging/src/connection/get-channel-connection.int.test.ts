import { randomUUID } from 'node:crypto';
import { getChannelConnection } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const read = (storeId: string) => messaging.rpc.call(getChannelConnection, {}, testContext({ storeId }));
const notConnected = {
  provider: null,
  status: 'not_connected',
  phone: null,
  reason: null,
  opt_out_stops_api: true,
  message_budget: null,
};

test('a store without a channel is not connected', async () => {
  expect(await read(randomUUID())).toEqual(notConnected);
});

test('a connected channel is shown to its store and to no other', async () => {
  const storeId = randomUUID();
  await messaging.adminSql`
    insert into channels (store_id, provider, phone) values (${storeId}, 'sandbox', '5511900000001')`;
  const shown = { ...notConnected, provider: 'sandbox', status: 'connected', phone: '5511900000001' };
  expect(await read(storeId)).toEqual(shown);
  expect(await read(randomUUID())).toEqual(notConnected);
});

test('a disconnected channel is not shown', async () => {
  const storeId = randomUUID();
  await messaging.adminSql`
    insert into channels (store_id, provider, disconnected_at) values (${storeId}, 'sandbox', now())`;
  expect(await read(storeId)).toEqual(notConnected);
});

test('a store has at most one live channel', async () => {
  const storeId = randomUUID();
  const connect = () => messaging.adminSql`insert into channels (store_id, provider) values (${storeId}, 'sandbox')`;
  await connect();
  await expect(connect()).rejects.toThrow('channels_live');
});
