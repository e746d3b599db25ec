import { randomUUID } from 'node:crypto';
import {
  acceptMessage,
  deliverMessages,
  getChannelConnection,
  sendMessage,
  updateMessagingSettings,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { contents, preferencePayload } from '@mostrador/testing/providers/whatsapp/entries';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newPhone, newWamid, startStore } from '../../test/customers.ts';
import { statusUpdate } from '../../test/inbound-webhook.ts';
import { longMs, startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
let whatsapp: WhatsappServer;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
  whatsapp = await startWhatsappServer();
});
afterAll(async () => {
  await messaging?.stop();
  await whatsapp?.close();
});
beforeEach(() => {
  whatsapp.settings.marketingTemplates = ['promo'];
});

async function storeWithLead() {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  await store.does(customer, contents.text());
  const leadId = (await store.leadOf(customer.phone)) as string;
  const optOut = async () => (await store.conversation(leadId)).opt_out;
  const optOuts = async () => (await store.facts()).filter((type) => type.startsWith('lead.'));
  return { store, customer, leadId, optOut, optOuts };
}
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

test('what the customer sets in WhatsApp opts the lead out of marketing messages, and back in', async () => {
  const { store, customer, leadId, optOut, optOuts } = await storeWithLead();
  const stop = preferencePayload(store.number, customer, 'stop', ago(20));
  await store.posts(stop);
  expect(await optOut()).toEqual({ scope: 'marketing', source: 'channel_preference', at: expect.any(String) });
  const { opted_out_at } = await store.conversation(leadId);
  expect((await optOut())?.at).toBe(opted_out_at);
  await store.posts(preferencePayload(store.number, customer, 'resume', ago(10)));
  expect(await optOut()).toBeNull();
  // A webhook that is posted again with other bytes.
  await store.posts({ ...stop, retried: true });
  expect(await optOut()).toBeNull();
  expect(await optOuts()).toEqual(['lead.opted_out', 'lead.opted_in']);
  const told = (await messaging.feed(store.storeId)).find(({ type }) => type === 'lead.opted_out');
  expect(told).toEqual({
    type: 'lead.opted_out',
    entity_id: leadId,
    data: { lead_id: leadId, scope: 'marketing', source: 'channel_preference' },
  });
});

test('resuming marketing messages in WhatsApp leaves a stop word as it is', async () => {
  const { store, customer, optOut } = await storeWithLead();
  await store.does(customer, contents.text('SAIR'), { at: ago(20) });
  await store.posts(preferencePayload(store.number, customer, 'resume', ago(10)));
  expect(await optOut()).toMatchObject({ scope: 'all', source: 'stop_word' });
});

test('a preference of a lead who has not written counts, and one of a stranger makes no lead', async () => {
  const store = await startStore(messaging);
  const phone = newPhone();
  const leadId = messaging.crm.addLead(store.storeId, phone);
  await store.posts(preferencePayload(store.number, { phone }, 'stop'));
  expect((await store.conversation(leadId)).opt_out).toMatchObject({ scope: 'marketing' });
  const stranger = newPhone();
  await store.posts(preferencePayload(store.number, { phone: stranger }, 'stop'));
  expect(await store.leadOf(stranger)).toBeUndefined();
  expect(await store.failed()).toEqual([]);
  const [row] = await messaging.adminSql`
    select count(*)::int as leads from conversations where store_id = ${store.storeId}`;
  expect(row).toEqual({ leads: 1 });
});

test.each([
  ['Stop promotions', 'marketing', 'template_button'],
  ['Cancelar todas as mensagens', 'all', 'template_button'],
  ['Parar', 'all', 'template_button'],
])('the button %j of a template opts the lead out, and is a message of the lead', async (label, scope, source) => {
  const { store, customer, leadId, optOut } = await storeWithLead();
  await store.does(customer, contents.button(label));
  expect(await optOut()).toMatchObject({ scope, source });
  expect((await store.messages(leadId)).at(-1)).toMatchObject({ body: label, direction: 'inbound' });
});

test('a text that only reads like a stop button is no opt-out', async () => {
  const { store, customer, optOut } = await storeWithLead();
  await store.does(customer, contents.text('Stop promotions'));
  await store.does(customer, contents.buttonReply('Stop promotions'));
  expect(await optOut()).toBeNull();
});

test('a status update with error 131050 opts the lead out, also when it comes before the message is known', async () => {
  const { store, leadId, optOut } = await storeWithLead();
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${store.storeId}, 0)`;
  const { id } = await messaging.send(store.storeId, leadId);
  const wamid = newWamid();
  const failed = {
    status: 'failed',
    errors: [{ code: 131050, title: 'Recipient has chosen to stop marketing messages' }],
  };
  await store.posts(statusUpdate(store.number.phoneNumberId, { id: wamid, ...failed }));
  expect(await optOut()).toBeNull();
  await messaging.adminSql`
    update messages set status = 'unknown', unknown_since = now(), channel_id = ${store.channelId} where id = ${id}`;
  await store.posts(statusUpdate(store.number.phoneNumberId, { id: wamid, status: 'sent', callbackData: id }));
  expect(await optOut()).toMatchObject({ scope: 'marketing', source: 'channel_error' });
});

test('a send that WhatsApp refuses with 131050 opts the lead out, and what waits behind it is not sent', async () => {
  const { store, customer, leadId, optOut } = await storeWithLead();
  await messaging.adminSql`
    update channels set api_url = ${whatsapp.apiUrl} where id = ${store.channelId}`;
  await messaging.adminSql`
    update channels set phone_number_id = ${whatsapp.settings.phoneNumberId} where id = ${store.channelId}`;
  whatsapp.settings.accessToken = 'token';
  await whatsapp.customerPrefers(customer, 'stop');
  await messaging.adminSql`update conversations set last_inbound_at = null where lead_id = ${leadId}`;
  const template = { name: 'promo', language: 'pt_BR' };
  const send = (source: 'followup' | 'seller') =>
    messaging.rpc.call(
      acceptMessage,
      { body: { id: randomUUID(), lead_id: leadId, source, message: 'Promo', template } },
      store.context(),
    );
  const [first, second] = [await send('seller'), await send('followup')];
  const step = { body: { lead_id: leadId } };
  await messaging.rpc.call(deliverMessages, step, testContext({ storeId: store.storeId, timeoutMs: longMs }));
  const outcomes = (await store.messages(leadId)).filter(({ direction }) => direction === 'outbound');
  expect(outcomes).toMatchObject([
    { id: first.id, status: 'failed', error: { code: 'whatsapp_131050' } },
    { id: second.id, status: 'failed', error: { code: 'lead_opted_out' } },
  ]);
  expect(await optOut()).toMatchObject({ scope: 'marketing', source: 'channel_error' });
  expect(whatsapp.refusals.filter(({ to }) => to === customer.phone)).toHaveLength(1);
});

test('a preference that is stored and not processed yet stops a message of the AI', async () => {
  const { store, customer, leadId } = await storeWithLead();
  await messaging.adminSql`
    insert into inbound_payloads (store_id, channel_id, payload, customers, next_attempt_at)
    values (${store.storeId}, ${store.channelId},
      ${Buffer.from(JSON.stringify(preferencePayload(store.number, customer, 'stop')))}, ${[customer.phone]}, 'infinity')`;
  const message = { id: randomUUID(), lead_id: leadId, source: 'ai' as const, message: 'Hi' };
  await expect(messaging.rpc.call(acceptMessage, { body: message }, store.context())).rejects.toMatchObject({
    code: 'lead_opted_out',
  });
});

test('a store stops messages of the API to leads who opted out, until it changes that', async () => {
  const storeId = randomUUID();
  const stopsApi = async () =>
    (await messaging.rpc.call(getChannelConnection, {}, testContext({ storeId }))).opt_out_stops_api;
  const change = (opt_out_stops_api: boolean) =>
    messaging.rpc.call(updateMessagingSettings, { body: { opt_out_stops_api } }, testContext({ storeId }));
  await messaging.addChannel(storeId);
  const leadId = messaging.crm.addLead(storeId);
  await messaging.adminSql`
    insert into conversations (store_id, lead_id, opted_out_at) values (${storeId}, ${leadId}, now())`;
  const send = () =>
    messaging.rpc.call(sendMessage, { params: { leadId }, body: { message: 'Hi' } }, testContext({ storeId }));
  expect(await stopsApi()).toBe(true);
  // A row that sets something else changes nothing.
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  await expect(send()).rejects.toMatchObject({ code: 'lead_opted_out' });
  await change(false);
  expect(await send()).toMatchObject({ status: 'queued' });
  await change(true);
  await expect(send()).rejects.toMatchObject({ code: 'lead_opted_out' });
});
