import { randomUUID } from 'node:crypto';
import { changeContactPhone, deliverMessages, getConversation } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holdConversation } from '../../test/held-conversation.ts';
import { connectWhatsapp, notification, receive, textFrom, withUserId } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { acceptInbound } from '../inbound/accept-inbound.ts';
import { processInbound } from '../inbound/process-inbound.ts';
import { onLeadEvent } from '../inbox/on-lead-event.ts';

let messaging: TestMessaging;
/** The provider's id of the customer in its answer to every send. */
let answer: (to: string) => Promise<string | null>;
const sentTo: string[] = [];
let storeId: string;
let leadId: string;
const [before, after] = ['5511900000001', '5531977776666'];
beforeAll(async () => {
  const send = async ({ to }: { to: string }) => {
    sentTo.push(to);
    return { providerMessageId: randomUUID(), waId: await answer(to) };
  };
  messaging = await startMessaging({ openChannel: () => ({ send }) });
});
afterAll(() => messaging?.stop());
beforeEach(async () => {
  storeId = randomUUID();
  answer = async () => null;
  sentTo.length = 0;
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  leadId = messaging.crm.addLead(storeId, before);
});

const context = () => testContext({ storeId });
const tell = (customer_phone: string, version: number) =>
  messaging.rpc.call(changeContactPhone, { body: { lead_id: leadId, customer_phone, version } }, context());
const change = (phone: string) => tell(phone, messaging.crm.changePhone(storeId, leadId, phone));
const addConversation = async (columns: object = {}) => {
  const { adminSql } = messaging;
  await adminSql`insert into conversations ${adminSql({ store_id: storeId, lead_id: leadId, ...columns })}`;
};
const conversation = async () =>
  (await messaging.adminSql`select * from conversations where store_id = ${storeId} and lead_id = ${leadId}`)[0];
const userIds = () => messaging.adminSql`select user_id from customer_user_ids where store_id = ${storeId}`;
const step = () => messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, testContext({ storeId }));

test('a message that was queued before the change goes to the new phone', async () => {
  await messaging.addChannel(storeId);
  await addConversation({ wa_id: before });
  await messaging.send(storeId, leadId, 'queued');
  await change(after);
  answer = async (to) => to;
  await step();
  expect(sentTo).toEqual([after]);
  expect(await conversation()).toMatchObject({ wa_id: after });
});

test('the id, the other ids and the reply window of the earlier phone are forgotten, and an opt-out is not', async () => {
  await connectWhatsapp(messaging, storeId);
  await addConversation({
    wa_id: before,
    last_inbound_at: new Date(),
    called_at: new Date(),
    opted_out_at: new Date(),
  });
  await messaging.adminSql`
    insert into customer_user_ids (store_id, user_id, lead_id) values (${storeId}, 'BR.1', ${leadId})`;
  await change(after);
  expect(await userIds()).toEqual([]);
  expect(await messaging.rpc.call(getConversation, { params: { leadId } }, context())).toEqual({
    lead_id: leadId,
    held_by: 'store',
    opted_out_at: expect.any(String),
    opt_out: { scope: 'all', source: 'stop_word', at: expect.any(String) },
    window_expires_at: null,
    window_open: false,
    window_opened_by: null,
  });
});

test('a customer who already writes from the new phone, in any of its forms, stays known', async () => {
  const short = '553177776666';
  await addConversation({ wa_id: short, last_inbound_at: new Date() });
  await messaging.adminSql`
    insert into customer_user_ids (store_id, user_id, lead_id) values (${storeId}, 'BR.1', ${leadId})`;
  await change(after);
  expect(await conversation()).toMatchObject({ wa_id: short, phone: after, last_inbound_at: expect.any(Date) });
  expect(await userIds()).toEqual([{ user_id: 'BR.1' }]);
});

test('a repeated and an outdated change are ignored, and one of a lead without messages too', async () => {
  expect(await tell(after, 2)).toEqual({ done: true });
  await addConversation();
  await tell(after, 3);
  await tell('5511900000003', 2);
  await messaging.adminSql`update conversations set wa_id = '5511900000004' where lead_id = ${leadId}`;
  await tell(after, 3);
  expect(await conversation()).toMatchObject({ phone: after, phone_version: 3, wa_id: '5511900000004' });
  storeId = randomUUID();
  await tell('5511900000005', 9);
  expect(await messaging.adminSql`select from conversations where store_id = ${storeId}`).toHaveLength(0);
});

test('the answer to an attempt that began before the change does not bring the earlier phone back', async () => {
  await messaging.addChannel(storeId);
  await messaging.send(storeId, leadId, 'under way');
  await messaging.send(storeId, leadId, 'behind it');
  const answered = Promise.withResolvers<string>();
  answer = async (to) => (to === before ? await answered.promise : null);
  const stepping = step();
  await waitFor(() => sentTo.length === 1, { description: 'the provider has the message' });
  await change(after);
  answered.resolve(before);
  await stepping;
  // The step had asked crm for the phone before the change.
  expect(sentTo).toEqual([before, after]);
  expect(await conversation()).toMatchObject({ wa_id: null, phone: after });
});

describe('a customer', () => {
  const write = async (content: ReturnType<typeof textFrom>) => {
    const { channelId, phoneNumberId } = channel;
    await receive(messaging, channelId, notification(phoneNumberId, content));
    await processInbound({ ...messaging.dependencies, log: silentLog() }, new AbortController().signal);
  };
  const bodies = () => messaging.adminSql`
    select body, lead_id = ${leadId} as of_lead from messages where store_id = ${storeId} order by created_at, body`;
  let channel: Awaited<ReturnType<typeof connectWhatsapp>>;
  beforeEach(async () => {
    channel = await connectWhatsapp(messaging, storeId);
  });

  test('who writes from the new phone is the lead, and one from the earlier phone is another one', async () => {
    await write(withUserId(textFrom(before, 'first'), 'BR.1'));
    await change(after);
    await write(withUserId(textFrom(before, 'from the earlier phone'), 'BR.1'));
    await write(textFrom('553177776666', 'from the new phone'));
    expect(await bodies()).toEqual([
      { body: 'first', of_lead: true },
      { body: 'from the earlier phone', of_lead: false },
      { body: 'from the new phone', of_lead: true },
    ]);
    expect(await conversation()).toMatchObject({ wa_id: '553177776666' });
  });

  test('whose message is accepted during the change is looked up again', async () => {
    await addConversation({ wa_id: before });
    const message = {
      ...{ providerMessageId: randomUUID(), waId: before, userId: null, name: 'Maria', kind: 'text' },
      ...{ body: 'late', writtenAt: new Date() },
    };
    const accept = () => acceptInbound(messaging.dependencies, context(), channel.channelId, message);
    const held = await holdConversation(messaging, storeId, leadId);
    const changing = change(after);
    await held.waiting(1);
    const accepting = Promise.allSettled([accept()]);
    await held.waiting(2);
    await Promise.all([held.release(), changing]);
    expect(await accepting).toMatchObject([{ status: 'rejected', reason: { code: 'service_unavailable' } }]);
    expect(await conversation()).toMatchObject({ wa_id: null, phone: after });
    expect((await accept())?.lead_id).not.toBe(leadId);
  });

  test('who is known by another id writes to the lead, and the answers go to the phone of the store', async () => {
    await write(textFrom(before, 'first'));
    await change(after);
    await messaging.adminSql`
      insert into customer_user_ids (store_id, user_id, lead_id) values (${storeId}, 'BR.2', ${leadId})`;
    await write(withUserId(textFrom('5511900000009', 'under another number'), 'BR.2'));
    expect(await bodies()).toMatchObject([{ of_lead: true }, { of_lead: true }]);
    expect(await conversation()).toMatchObject({ wa_id: null, phone: after });
  });
});

describe('the event', () => {
  const hear = (lead_id = leadId) =>
    onLeadEvent(messaging.dependencies)(
      { id: randomUUID(), type: 'crm.lead.phone_changed', store_id: storeId, occurred_at: '', data: { lead_id } },
      { deadline: Date.now() + 30_000 },
    );

  test('applies a change that messaging missed', async () => {
    await addConversation({ wa_id: before });
    const version = messaging.crm.changePhone(storeId, leadId, after);
    await hear();
    await hear();
    expect(await conversation()).toMatchObject({ wa_id: null, phone: after, phone_version: version });
  });

  test('of a lead that is gone is ignored, and without crm it is processed again later', async () => {
    await hear(randomUUID());
    await addConversation({ wa_id: before });
    messaging.crm.changePhone(storeId, leadId, after);
    await messaging.crm.stop();
    await expect(hear()).rejects.toMatchObject({ code: 'service_unavailable' });
    await messaging.crm.start();
    await hear();
    expect(await conversation()).toMatchObject({ phone: after });
  });
});
