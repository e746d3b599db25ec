import { randomUUID } from 'node:crypto';
import { connectChannel, deliverMessages, fenceMessages, getMessage, settleMessage } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { applyReceivedStatus } from '../delivery/apply-received-status.ts';

let messaging: TestMessaging;
let whatsapp: WhatsappServer;
let storeId: string;
let channelId: string;
let leadId: string;
beforeAll(async () => {
  messaging = await startMessaging();
  whatsapp = await startWhatsappServer();
});
afterAll(() => Promise.all([messaging?.stop(), whatsapp?.close()]));
beforeEach(async () => {
  storeId = randomUUID();
  const { settings, apiUrl: api_url } = whatsapp;
  const { phoneNumberId: phone_number_id, phone, accessToken, appSecret } = settings;
  const secrets = { access_token: accessToken, app_secret: appSecret, verify_token: 'verify' };
  const body = { provider: 'whatsapp_cloud' as const, phone_number_id, phone, api_url, secrets };
  channelId = (await messaging.rpc.call(connectChannel, { body }, context())).channel_id;
  const customer = `5511${Math.floor(Math.random() * 1e9)}`.padEnd(13, '0');
  leadId = messaging.crm.addLead(storeId, customer);
  await whatsapp.customerWrites({ from: customer, text: 'Hi' });
  await messaging.adminSql`
    insert into conversations (store_id, lead_id, last_inbound_at) values (${storeId}, ${leadId}, now())`;
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
});

const context = () => testContext({ storeId });
const accept = async () => (await messaging.send(storeId, leadId)).id;
const step = () => messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, context());
const read = (messageId: string) => messaging.rpc.call(getMessage, { params: { leadId, messageId } }, context());
const fence = (since: string, dry_run = false) =>
  messaging.rpc.call(fenceMessages, { body: { since, dry_run } }, testContext());
const sendsOf = (id: string) => whatsapp.log.filter(({ callbackData }) => callbackData === id).length;

test('messages that left after the backup do not leave again after the restore, and their status updates settle them', async () => {
  const sent = [await accept(), await accept()] as const;
  const backup = await messaging.backUp();
  const since = backup.at;
  await step();
  expect(sent.map(sendsOf)).toEqual([1, 1]);
  await backup.restore();
  expect((await read(sent[0])).status).toBe('queued');

  expect(await fence(since, true)).toMatchObject({ held: 2, waiting: 2 });
  expect((await read(sent[0])).status).toBe('queued');
  const held = { waiting: 2, first: sent.map((id) => ({ store_id: storeId, id })), events: 0 };
  expect(await fence(since)).toEqual({ held: 2, ...held });
  expect(await fence(since)).toEqual({ held: 0, ...held });
  const told = (await messaging.feed(storeId)).filter(({ type }) => type === 'message.unknown');
  expect(told.map(({ data }) => data.message_id).toSorted()).toEqual(sent.toSorted());
  expect(await step()).toMatchObject({ done: true });
  expect(sent.map(sendsOf)).toEqual([1, 1]);

  await applyReceivedStatus(messaging.dependencies, context(), channelId, {
    providerMessageId: String(whatsapp.log.find(({ callbackData }) => callbackData === sent[0])?.id),
    callbackData: sent[0],
    status: 'delivered',
    at: new Date(),
  });
  expect(await read(sent[0])).toMatchObject({ status: 'delivered', provider_message_id: expect.any(String) });
  await messaging.rpc.call(settleMessage, { body: { message_id: sent[1], status: 'sent' } }, context());
  expect(await fence(since)).toMatchObject({ held: 0, waiting: 0 });
});

test('the fence leaves messages alone that were accepted after the restore', async () => {
  const before = await accept();
  const after = await accept();
  await fence((await read(before)).created_at);
  expect((await read(before)).status).toBe('unknown');
  expect((await read(after)).status).toBe('queued');
});
