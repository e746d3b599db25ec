import { randomUUID } from 'node:crypto';
import { deliverMessages, settleMessage } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import type { Accepted } from '../channels/channel-provider.ts';

const answered = Promise.withResolvers<Accepted>();
let asked = 0;
let messaging: TestMessaging;
beforeAll(async () => {
  const send = async () => {
    asked += 1;
    return await answered.promise;
  };
  messaging = await startMessaging({ openChannel: () => ({ send }) });
});
afterAll(() => messaging?.stop());

test('an answer that comes after a person settled the message as sent stores the provider’s id, and counts once', async () => {
  const storeId = randomUUID();
  const leadId = messaging.crm.addLead(storeId, '5511999990000');
  await messaging.addChannel(storeId);
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const { id } = await messaging.send(storeId, leadId, 'slow');
  const step = () => messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, testContext({ storeId }));
  const stepping = step();
  await waitFor(() => asked === 1, { description: 'the provider has the message' });
  await messaging.adminSql`update messages set lease_until = now() where id = ${id}`;
  await step();
  const settled = { body: { message_id: id, status: 'sent' as const } };
  await messaging.rpc.call(settleMessage, settled, testContext({ storeId }));
  answered.resolve({ providerMessageId: 'the provider’s', waId: null });
  await stepping;
  expect(asked).toBe(1);
  expect(
    await messaging.adminSql`
      select status, provider_message_id, interaction_count from messages join conversations using (store_id, lead_id)
      where id = ${id}`,
  ).toEqual([{ status: 'sent', provider_message_id: 'the provider’s', interaction_count: 1 }]);
  const topics = (await messaging.events(storeId)).map(({ topic }) => topic);
  expect(topics).toEqual(['messaging.session.started', 'messaging.message.sent']);
  const told = (await messaging.feed(storeId)).map(({ type }) => type.replace('message.', ''));
  expect(told).toEqual(['session.started', 'queued', 'unknown', 'sent', 'updated']);
});
