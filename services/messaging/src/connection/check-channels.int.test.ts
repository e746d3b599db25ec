import { randomUUID } from 'node:crypto';
import { connectChannel, deliverMessages, getChannelConnection, getMessage, showChannel } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { statusPayload } from '@mostrador/testing/providers/whatsapp/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { readNotification } from '../channels/whatsapp/payload.ts';
import { applyReceivedStatus } from '../delivery/apply-received-status.ts';
import { applyEffect } from '../inbound/apply-effect.ts';
import { checkChannels } from './check-channels.ts';

let messaging: TestMessaging;
let whatsapp: WhatsappServer;
let storeId: string;
let channelId: string;
let leads: readonly [string, string];
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());
beforeEach(async () => {
  whatsapp = await startWhatsappServer();
  storeId = randomUUID();
  const { phoneNumberId: phone_number_id, phone, accessToken: access_token, appSecret: app_secret } = whatsapp.settings;
  const secrets = { access_token, app_secret, verify_token: 'verify' };
  const body = { provider: 'whatsapp_cloud' as const, phone_number_id, phone, api_url: whatsapp.apiUrl, secrets };
  channelId = (await messaging.rpc.call(connectChannel, { body }, context())).channel_id;
  // The provider's times are whole seconds.
  await messaging.adminSql`update channels set connected_at = now() - interval '1 minute' where id = ${channelId}`;
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  leads = [await addLead(), await addLead()];
});
afterEach(() => whatsapp.close());

const context = () => testContext({ storeId });
let phones = 5511700000000;
async function addLead(): Promise<string> {
  const phone = String(++phones);
  const leadId = messaging.crm.addLead(storeId, phone);
  await whatsapp.customerWrites({ from: phone, text: 'Hi' });
  await messaging.adminSql`
    insert into conversations (store_id, lead_id, last_inbound_at) values (${storeId}, ${leadId}, now())`;
  return leadId;
}
type Sent = { readonly leadId: string; readonly id: string };
const accept = async (leadId: string): Promise<Sent> => ({ leadId, id: (await messaging.send(storeId, leadId)).id });
const step = ({ leadId }: Sent) => messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, context());
const read = ({ leadId, id }: Sent) => messaging.rpc.call(getMessage, { params: { leadId, messageId: id } }, context());
const statusesOf = async (sent: readonly Sent[]) => (await Promise.all(sent.map(read))).map(({ status }) => status);
const channel = () => messaging.rpc.call(getChannelConnection, {}, context());
const check = () => checkChannels({ ...messaging.dependencies, log: silentLog() }, new AbortController().signal);
const setDue = () => messaging.adminSql`update channels set next_check_at = now() where id = ${channelId}`;
const forgetCheck = () => messaging.adminSql`update channels set next_check_at = null where id = ${channelId}`;

test.each([131005, 131042])(
  'the fault %i of the whole channel lets the messages of all leads wait, until a check passes',
  async (code) => {
    const sent = [await accept(leads[0]), await accept(leads[1])];
    whatsapp.settings.fault = { code };
    for (const one of sent) await step(one);
    expect(whatsapp.requests()).toBe(1);
    expect(await statusesOf(sent)).toEqual(['queued', 'queued']);
    const refused = await channel();
    expect(refused).toMatchObject({
      status: 'needs_attention',
      reason: { code: `whatsapp_${code}`, detail: expect.stringContaining('WhatsApp'), since: expect.any(String) },
    });

    await check();
    expect(whatsapp.healthRequests()).toBe(0);
    await setDue();
    await check();
    await check();
    expect(whatsapp.healthRequests()).toBe(1);
    expect(await channel()).toEqual(refused);
    const { next_check_at } = await messaging.rpc.call(showChannel, {}, context());
    expect(Date.parse(String(next_check_at))).toBeGreaterThan(Date.now());

    whatsapp.settings.fault = null;
    await messaging.adminSql`delete from outbox`;
    await setDue();
    await check();
    expect(await channel()).toMatchObject({ status: 'connected', reason: null });
    expect(await messaging.wakeUps(storeId)).toMatchObject([
      { entity_id: shardIdOf(storeId), signal: 'channel_connected' },
    ]);
    for (const one of sent) await step(one);
    expect(await statusesOf(sent)).toEqual(['sent', 'sent']);
  },
);

test('a token that expired goes on by itself when it is valid again, and two processes ask once', async () => {
  const sent = await accept(leads[0]);
  const { accessToken } = whatsapp.settings;
  whatsapp.settings.accessToken = 'another';
  await step(sent);
  whatsapp.settings.accessToken = accessToken;
  // As an earlier version records a refusal.
  await forgetCheck();
  await Promise.all([check(), check()]);
  expect(whatsapp.healthRequests()).toBe(1);
  await step(sent);
  expect(await statusesOf([sent])).toEqual(['sent']);
});

test('a check that fails for another reason shows that one, and one without an answer changes nothing', async () => {
  const sent = await accept(leads[0]);
  whatsapp.settings.fault = { code: 131042 };
  await step(sent);
  whatsapp.settings.accessToken = 'another';
  await setDue();
  await check();
  const refused = await channel();
  expect(refused).toMatchObject({ status: 'needs_attention', reason: { code: 'whatsapp_190' } });
  await whatsapp.close();
  await setDue();
  await check();
  expect(await channel()).toEqual(refused);
  whatsapp = await startWhatsappServer();
});

test('a fault that WhatsApp posts later, of a message or of the account, stops the channel until it is repaired', async () => {
  const [first, second] = [await accept(leads[0]), await accept(leads[1])];
  whatsapp.settings.fault = { code: 131042, failsLater: true };
  await step(first);
  const [taken] = whatsapp.log;
  const report = { id: String(taken?.id), recipient: String(taken?.to), status: 'failed', code: 131042 } as const;
  const payload = statusPayload(whatsapp.settings, { ...report, callbackData: first.id });
  const [failed] = readNotification(payload, whatsapp.settings.phoneNumberId).statuses;
  const apply = () => applyReceivedStatus(messaging.dependencies, context(), channelId, failed as never);
  await apply();
  expect(await channel()).toMatchObject({ status: 'needs_attention', reason: { code: 'whatsapp_131042' } });
  await step(second);
  expect(await statusesOf([first, second])).toEqual(['failed', 'queued']);

  whatsapp.settings.fault = null;
  await setDue();
  await check();
  await apply();
  expect(await channel()).toMatchObject({ status: 'connected' });
  const error = { code: 'whatsapp_131031', detail: 'Locked.' };
  const fault = { kind: 'fault', at: new Date(Date.now() + 1000), error } as const;
  await applyEffect(messaging.dependencies, context(), channelId, fault);
  expect(await channel()).toMatchObject({ status: 'needs_attention', reason: { code: 'whatsapp_131031' } });
  await setDue();
  await check();
  expect(await channel()).toMatchObject({ status: 'connected' });
  await step(second);
  expect(await statusesOf([second])).toEqual(['sent']);
});
