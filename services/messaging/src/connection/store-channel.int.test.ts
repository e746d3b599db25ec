import { randomUUID } from 'node:crypto';
import {
  connectChannel,
  connectStoreChannel,
  disconnectStoreChannel,
  getStoreChannel,
  type RequestOf,
  showChannel,
  type UserRole,
  updateMessagingSettings,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { publicUrl, shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { findLiveChannel } from '../channels/channel.repository.ts';
import { markChannelRefused } from '../channels/refusal.repository.ts';

type Body = RequestOf<typeof connectStoreChannel>['body'];

let messaging: TestMessaging;
let storeId: string;
beforeAll(async () => {
  messaging = await startMessaging();
});
beforeEach(() => {
  storeId = randomUUID();
});
afterAll(() => messaging?.stop());

const as = (role?: UserRole, store = storeId) => testContext({ storeId: store, role });
const get = (role?: UserRole, store?: string) => messaging.rpc.call(getStoreChannel, {}, as(role, store));
const connect = (body: Body, role?: UserRole) => messaging.rpc.call(connectStoreChannel, { body }, as(role));
const disconnect = (role?: UserRole) => messaging.rpc.call(disconnectStoreChannel, {}, as(role));

const secrets = { access_token: 'open-sesame', app_secret: 'first secret', verify_token: 'verify me' };
const whatsapp = {
  provider: 'whatsapp_cloud',
  phone_number_id: '106540352242922',
  phone: '15550783881',
  secrets,
} satisfies Body;
const none = { provider: null, status: 'not_connected', reason: null, connected_at: null, sandbox_url: null };

test('an owner connects the sandbox, whose address managers see, and ends it', async () => {
  expect(await get('manager')).toMatchObject(none);
  const connected = await connect({ provider: 'sandbox', phone: '15550783881' }, 'owner');
  expect(connected).toMatchObject({
    provider: 'sandbox',
    status: 'connected',
    phone: '15550783881',
    webhook_url: null,
  });
  expect(connected.sandbox_url).toMatch(new RegExp(`^${publicUrl}/sandbox/`));
  expect(await get('manager')).toEqual(connected);
  expect(await get('manager', randomUUID())).toMatchObject(none);
  expect((await connect({ provider: 'sandbox', rotate: true }, 'owner')).sandbox_url).not.toBe(connected.sandbox_url);

  expect(await disconnect('owner')).toEqual({ done: true });
  expect(await get('owner')).toMatchObject(none);
  await expect(disconnect('owner')).rejects.toMatchObject({ code: 'channel_not_connected' });
});

test('WhatsApp is connected with its secrets, which no answer shows, and the queued messages are woken', async () => {
  await messaging.addChannel(storeId);
  const leadId = messaging.crm.addLead(storeId);
  await messaging.rpc.call(connectChannel, { body: { provider: 'sandbox' } }, as());
  await messaging.rpc.call(updateMessagingSettings, { body: { message_wait_seconds: 0 } }, as());
  await messaging.send(storeId, leadId);
  await messaging.adminSql`delete from outbox where store_id = ${storeId}`;
  const connected = await connect(whatsapp, 'owner');
  expect(connected.webhook_url).toMatch(new RegExp(`^${publicUrl}/channels/whatsapp/.+/webhook$`));
  for (const secret of Object.values(secrets)) {
    expect(JSON.stringify([connected, await get('manager')])).not.toContain(secret);
  }
  expect(await messaging.wakeUps(storeId)).toMatchObject([
    { entity_id: shardIdOf(storeId), signal: 'channel_connected' },
  ]);
});

test('a new connection by an owner keeps the rates that an operator has set', async () => {
  const rates = { number_rate: 250, pair_interval_seconds: 1, pair_burst: 7 };
  await messaging.rpc.call(connectChannel, { body: { ...whatsapp, ...rates } }, as());
  await connect({ ...whatsapp, secrets: { ...secrets, access_token: 'another' } }, 'owner');
  const channel = await messaging.dependencies.database.read(as(), (sql) => findLiveChannel(sql, storeId));
  expect(channel).toMatchObject(rates);
});

test('a refusal is shown with its code and since when, and a new connection ends it', async () => {
  await connect(whatsapp, 'owner');
  const { database } = messaging.dependencies;
  const refuse = (code: string) =>
    database.write(as(), async (sql) => {
      const channel = await findLiveChannel(sql, storeId);
      if (channel) await markChannelRefused(sql, storeId, channel, { code, detail: 'The token has expired.' });
    });
  await refuse('whatsapp_190');
  const first = await get('manager');
  expect(first).toMatchObject({ status: 'needs_attention', reason: { code: 'whatsapp_190' } });
  await refuse('whatsapp_10');
  expect((await get('manager')).reason).toEqual({ ...first.reason, code: 'whatsapp_10' });
  expect(await messaging.rpc.call(showChannel, {}, as())).toMatchObject({
    status: 'needs_attention',
    reason: null,
    last_error: 'whatsapp_10: The token has expired.',
  });
  expect(await connect(whatsapp, 'owner')).toMatchObject({ status: 'connected', reason: null });
});

test.each<[string, Body, string]>([
  ['WhatsApp without a number', { provider: 'whatsapp_cloud', secrets }, '#/phone_number_id'],
  ['a token that would go over http', { ...whatsapp, api_url: 'http://graph.example.com' }, '#/api_url'],
  ['a sandbox with secrets', { provider: 'sandbox', secrets }, '#/secrets'],
  ['rates, which are the operator’s', { ...whatsapp, number_rate: 1000 } as Body, '#/number_rate'],
])('%s is rejected, and the fault has no secret', async (_what, body, pointer) => {
  const error = await connect(body, 'owner').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'validation_failed' });
  expect(JSON.stringify(error)).not.toContain(secrets.access_token);
  const { errors } = (error as { members: { errors: { pointer: string }[] } }).members;
  expect(errors.map((fault) => fault.pointer)).toContain(pointer);
  expect(await get('owner')).toMatchObject(none);
});

test.each<[string, () => Promise<unknown>, UserRole]>([
  ['reading', () => get('seller'), 'manager'],
  ['reading without a person', () => get(), 'manager'],
  ['connecting', () => connect(whatsapp, 'manager'), 'owner'],
  ['disconnecting', () => disconnect('manager'), 'owner'],
])('%s needs a role', async (_what, ask, required_role) => {
  await expect(ask()).rejects.toMatchObject({ code: 'role_required', members: { required_role } });
});
