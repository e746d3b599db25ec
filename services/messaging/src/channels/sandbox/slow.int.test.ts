import { randomUUID } from 'node:crypto';
import { connectChannel, deliverMessages, getMessage, sendMessage } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../../test/messaging.ts';

// With the limits of production, because the number is slower than a request waits, and faster than a call may take.
let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

async function sendSlowly() {
  const storeId = randomUUID();
  const context = () => testContext({ storeId });
  await messaging.rpc.call(connectChannel, { body: { provider: 'sandbox' } }, context());
  const leadId = messaging.crm.addLead(storeId, '12015550108');
  const answer = messaging.rpc.call(sendMessage, { params: { leadId }, body: { message: 'Hello' } }, context());
  const isAccepted = { signal: 'message_accepted' };
  await expect.poll(() => messaging.wakeUps(storeId)).toContainEqual(expect.objectContaining(isAccepted));
  const step = messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, context());
  const { sent, status, id } = await answer;
  await step;
  const message = await messaging.rpc.call(getMessage, { params: { leadId, messageId: id } }, context());
  return { answered: { sent, status }, afterwards: message.status };
}

test('08 is sending when the request stops waiting, and sent afterwards', async () => {
  // On a machine that stands still, the number's answer can come at the moment when the wait ends.
  const sent = await waitFor(
    async () => {
      const outcome = await sendSlowly();
      return outcome.answered.status === 'sending' && outcome;
    },
    { description: 'a request that stops waiting' },
  );
  expect(sent).toEqual({ answered: { sent: false, status: 'sending' }, afterwards: 'sent' });
});
