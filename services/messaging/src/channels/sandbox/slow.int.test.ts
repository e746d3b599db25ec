import { randomUUID } from 'node:crypto';
import { connectChannel, deliverMessages, getMessage, sendMessage } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../../test/messaging.ts';

// With the limits of production, because the number is slower than a request waits, and faster than a call may take.
let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

test('08 is sending when the request stops waiting, and sent afterwards', async () => {
  const storeId = randomUUID();
  const context = () => testContext({ storeId, timeoutMs: 12_000 });
  await messaging.rpc.call(connectChannel, { body: { provider: 'sandbox' } }, context());
  const leadId = messaging.crm.addLead(storeId, '12015550108');
  const answer = messaging.rpc.call(sendMessage, { params: { leadId }, body: { message: 'Hello' } }, context());
  await expect.poll(() => messaging.wakeUps(storeId)).toHaveLength(1);
  const step = messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, context());
  const { sent, status, id } = await answer;
  expect({ sent, status }).toEqual({ sent: false, status: 'sending' });
  await step;
  const message = await messaging.rpc.call(getMessage, { params: { leadId, messageId: id } }, context());
  expect(message).toMatchObject({ status: 'sent' });
}, 20_000);
