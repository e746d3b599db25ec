import { randomUUID } from 'node:crypto';
import { connectChannel, readSandboxConversation, receiveSandboxMessage } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const customerPhone = '5511988887777';

async function connect(storeId: string, rotate?: true): Promise<string> {
  const { sandbox_url } = await messaging.rpc.call(
    connectChannel,
    { body: { provider: 'sandbox', phone: '5511400000001', ...(rotate && { rotate }) } },
    testContext({ storeId }),
  );
  return (sandbox_url as string).split('/').at(-1) as string;
}
const write = (token: string, text: string, phone = customerPhone) =>
  messaging.rpc.call(
    receiveSandboxMessage,
    { body: { token, customer_phone: phone, name: 'Ana', text } },
    testContext(),
  );
const read = (token: string, phone = customerPhone) =>
  messaging.rpc.call(readSandboxConversation, { body: { token, customer_phone: phone } }, testContext());

test('a message from the telephone becomes a received message of a lead', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  await write(token, 'Olá! 👋');
  const [row] = await messaging.adminSql`
    select lead_id, status, source, body from messages where store_id = ${storeId}`;
  expect(row).toMatchObject({ status: 'received', source: 'lead', body: 'Olá! 👋' });
  await waitFor(() => messaging.crm.interactionCounts.get(row?.lead_id) === 1, { description: 'crm has the count' });
});

test('the telephone shows its own conversation in order, and no other conversation', async () => {
  const storeId = randomUUID();
  const token = await connect(storeId);
  expect(await read(token)).toEqual({ store_phone: '5511400000001', messages: [] });
  await write(token, 'first');
  await messaging.adminSql`
    insert into sandbox_deliveries (store_id, id, channel_id, customer_phone, body)
    select store_id, ${randomUUID()}, id, ${customerPhone}, 'answer' from channels where store_id = ${storeId}`;
  await write(token, 'second');
  await write(token, 'of another', '5511988887778');
  const { messages } = await read(token);
  expect(messages.map(({ direction, text }) => [direction, text])).toEqual([
    ['inbound', 'first'],
    ['outbound', 'answer'],
    ['inbound', 'second'],
  ]);
  expect((await read(await connect(randomUUID()))).messages).toEqual([]);
});

test('a replaced or unknown address is rejected', async () => {
  const storeId = randomUUID();
  const old = await connect(storeId);
  const token = await connect(storeId, true);
  await expect(write(old, 'x')).rejects.toMatchObject({ code: 'sandbox_not_found' });
  await expect(read(old)).rejects.toMatchObject({ code: 'sandbox_not_found' });
  await expect(read('x'.repeat(43))).rejects.toMatchObject({ code: 'sandbox_not_found' });
  await write(token, 'x');
});
