import { randomUUID } from 'node:crypto';
import { connectChannel, deliverMessages, getMessage } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { longMs, startMessaging, type TestMessaging } from '../../../test/messaging.ts';
import { createSandboxAdapter } from './adapter.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

test('a message is on the customer’s telephone at once, without a reply window', async () => {
  const storeId = randomUUID();
  const context = () => testContext({ storeId });
  await messaging.rpc.call(connectChannel, { body: { provider: 'sandbox' } }, context());
  const leadId = messaging.crm.addLead(storeId, '5511999990000');
  await messaging.waitLong(storeId);
  const answer = messaging.send(storeId, leadId, 'Olá 👋', longMs);
  const isAccepted = { signal: 'message_accepted' };
  await expect.poll(() => messaging.wakeUps(storeId)).toContainEqual(expect.objectContaining(isAccepted));
  await messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, context());
  const { sent, id } = await answer;
  expect(sent).toBe(true);
  const message = await messaging.rpc.call(getMessage, { params: { leadId, messageId: id } }, context());
  expect(message).toMatchObject({ status: 'sent', provider_message_id: `sandbox.${id}` });
  const delivered = await messaging.adminSql`
    select id, customer_phone, body from sandbox_deliveries where store_id = ${storeId}`;
  expect(delivered).toEqual([{ id, customer_phone: '5511999990000', body: 'Olá 👋' }]);
});

test('each of many concurrent leads gets its messages in order, each once', async () => {
  const storeId = randomUUID();
  const context = () => testContext({ storeId });
  const body = { provider: 'sandbox' as const, number_rate: 100_000 };
  await messaging.rpc.call(connectChannel, { body }, context());
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const leads = Array.from({ length: 20 }, () => messaging.crm.addLead(storeId));
  const deliver = async (lead_id: string) => {
    await messaging.send(storeId, lead_id);
    for (let count = 1; count < 8; count += 1) {
      const step = messaging.rpc.call(deliverMessages, { body: { lead_id } }, context());
      await Promise.all([step, messaging.send(storeId, lead_id)]);
    }
    await expect
      .poll(async () => (await messaging.rpc.call(deliverMessages, { body: { lead_id } }, context())).done)
      .toBe(true);
  };
  await Promise.all(leads.map(deliver));
  const delivered = await messaging.adminSql`
    select lead_id, array_agg(number order by d.delivered_at, number) as numbers
    from sandbox_deliveries d join messages m on m.store_id = d.store_id and m.id = d.id
    where d.store_id = ${storeId} group by lead_id`;
  expect(delivered).toHaveLength(leads.length);
  for (const { numbers } of delivered) expect(numbers.map(Number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test.each([
  ['that it has, as its text', 'order_ready', 'Hello, Ana! Your order is ready.'],
  ['that it does not have, by its name', 'order_late', '[order_late] Late'],
])('the telephone shows a template %s', async (_, name, shown) => {
  const storeId = randomUUID();
  const sandbox = createSandboxAdapter(messaging.database, storeId, await messaging.addChannel(storeId));
  const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }];
  const template = { name, language: 'en', components };
  const message = { id: randomUUID(), to: '5511999990000', text: 'Late', template, attempt: 1 };
  await sandbox.send(message, AbortSignal.timeout(60_000));
  const delivered = await messaging.adminSql`select body from sandbox_deliveries where store_id = ${storeId}`;
  expect(delivered).toEqual([{ body: shown }]);
});

test('a duplicate send stores one message', async () => {
  const storeId = randomUUID();
  const channelId = await messaging.addChannel(storeId);
  const sandbox = createSandboxAdapter(messaging.database, storeId, channelId);
  const message = { id: randomUUID(), to: '5511999990000', text: 'Hello', template: null, attempt: 1 };
  const signal = AbortSignal.timeout(60_000);
  await Promise.all([sandbox.send(message, signal), sandbox.send(message, signal)]);
  const delivered = await messaging.adminSql`select id from sandbox_deliveries where store_id = ${storeId}`;
  expect(delivered).toHaveLength(1);
});
