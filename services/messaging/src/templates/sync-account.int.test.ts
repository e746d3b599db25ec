import { randomUUID } from 'node:crypto';
import { connectChannel, disconnectChannel, listTemplates, showChannel, type Template } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { soundNumber } from '@mostrador/testing/providers/whatsapp/numbers';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import type { StandInTemplate } from '@mostrador/testing/providers/whatsapp/templates';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { readNotification } from '../channels/whatsapp/payload.ts';
import { applyEffect } from '../inbound/apply-effect.ts';
import { beginSync } from './sync.repository.ts';
import { syncAccounts } from './sync-account.ts';

let messaging: TestMessaging;
let whatsapp: WhatsappServer;
let storeId: string;
let channelId: string;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const named = (name: string, more: Partial<StandInTemplate> = {}): StandInTemplate => ({
  ...{ name, language: 'pt_BR', status: 'APPROVED', category: 'UTILITY' },
  ...{ components: [{ type: 'BODY', text: 'Oi, {{1}}!' }] },
  ...more,
});
/** More than one page. */
const many = Array.from({ length: 120 }, (_, index) => named(`template_${String(index).padStart(3, '0')}`));

beforeEach(async () => {
  whatsapp = await startWhatsappServer({ templates: many });
  storeId = randomUUID();
  channelId = await connect();
});
afterEach(() => whatsapp.close());

const context = () => testContext({ storeId });
async function connect(more: object = { business_account_id: whatsapp.settings.businessAccountId }): Promise<string> {
  const { phoneNumberId: phone_number_id, phone, accessToken: access_token, appSecret: app_secret } = whatsapp.settings;
  const secrets = { access_token, app_secret, verify_token: 'verify' };
  const given = { provider: 'whatsapp_cloud' as const, phone_number_id, phone, api_url: whatsapp.apiUrl, secrets };
  return (await messaging.rpc.call(connectChannel, { body: { ...given, ...more } }, context())).channel_id;
}
const sync = (signal = new AbortController().signal) =>
  syncAccounts({ ...messaging.dependencies, log: silentLog() }, signal);
const setDue = () =>
  messaging.adminSql`update channels set next_template_sync_at = now() - interval '1 second' where id = ${channelId}`;
async function again(): Promise<void> {
  await setDue();
  await sync();
}
const list = (query: { status?: string; name?: string; limit?: number } = {}) =>
  messaging.rpc.call(listTemplates, { query: { limit: 200, ...query } }, context());
const names = async () => (await list()).data.map(({ name }) => name);
const channel = () => messaging.rpc.call(showChannel, {}, context());
const told = async () =>
  (
    await messaging.adminSql<{ data: { name: string; status: string; previous_status: string | null } }[]>`
      select data from feed_entries where store_id = ${storeId} and type = 'template.status_changed' order by id`
  ).map(({ data }) => [data.name, data.previous_status, data.status]);

test('all pages are read once, when the channel is connected, and no event tells what is first known', async () => {
  await Promise.all([sync(), sync()]);
  expect(whatsapp.templateRequests()).toBe(3);
  expect(await names()).toEqual(many.map(({ name }) => name));
  expect((await list({ name: 'template_007' })).data).toEqual([
    {
      ...{ id: expect.any(String), name: 'template_007', language: 'pt_BR', status: 'approved', rejected_reason: null },
      ...{ category: 'utility', quality: 'unknown', variables: 'positional', updated_at: expect.any(String) },
      components: [{ type: 'body', format: null, text: 'Oi, {{1}}!', buttons: [] }],
    } satisfies Template,
  ]);
  expect(await channel()).toMatchObject({ templates_synced_at: expect.any(String), templates_error: null });
  expect(await told()).toEqual([]);
  await sync();
  expect(whatsapp.templateRequests()).toBe(3);
});

test('a later one replaces all, keeps the ids, and tells which status changed', async () => {
  whatsapp.settings.templates = [named('kept'), named('paused'), named('gone')];
  await sync();
  const before = new Map((await list()).data.map(({ name, id }) => [name, id]));
  whatsapp.settings.templates = [
    named('kept', { category: 'MARKETING' }),
    named('paused', { status: 'PAUSED' }),
    named('new', { status: 'REJECTED', rejected_reason: 'SCAM' }),
  ];
  await again();
  const after = (await list()).data;
  expect(after).toMatchObject([
    { name: 'kept', id: before.get('kept'), category: 'marketing' },
    { name: 'new', status: 'rejected', rejected_reason: 'SCAM' },
    { name: 'paused', id: before.get('paused'), status: 'paused' },
  ]);
  const updates = () => messaging.adminSql`
    select data ->> 'name' as name, previous from feed_entries
    where store_id = ${storeId} and type = 'template.updated' order by id`;
  expect(await updates()).toEqual([{ name: 'kept', previous: { category: 'utility' } }]);
  expect((await told()).toSorted()).toEqual([
    ['gone', 'approved', 'deleted'],
    ['new', null, 'rejected'],
    ['paused', 'approved', 'paused'],
  ]);
  await again();
  expect(await list()).toMatchObject({ data: after });
  expect(await told()).toHaveLength(3);
  const quality = { score: 'RED' };
  whatsapp.settings.templates = [
    named('kept', { category: 'MARKETING', quality_score: quality }),
    named('new'),
    named('paused'),
  ];
  await again();
  expect(await updates()).toMatchObject([{}, { name: 'kept', previous: { quality: 'unknown' } }]);
  expect(await told()).toHaveLength(5);
});

test.each([
  ['refuses a page', { code: 80007 }, 'whatsapp_80007'],
  ['has an outage at a page', { status: 502, body: '<html>' }, 'whatsapp_answer_unreadable'],
  ['answers a page that is none', { status: 200, body: '{}' }, 'whatsapp_answer_unreadable'],
  ['answers a page that is too large', { status: 200, body: 'x'.repeat(1024 * 1024 + 1) }, 'whatsapp_answer_too_large'],
])('when the provider %s, nothing changes, and the next attempt waits', async (_, fault, code) => {
  await sync();
  whatsapp.settings.templates = many.map((one) => ({ ...one, status: 'PAUSED' }));
  whatsapp.settings.templateFaults = { 5: fault };
  await again();
  expect(whatsapp.templateRequests()).toBe(5);
  expect((await list({ status: 'approved' })).total).toBe(many.length);
  expect(await channel()).toMatchObject({ status: 'connected', templates_error: { code } });
  await sync();
  expect(whatsapp.templateRequests()).toBe(5);
  await again();
  expect((await list({ status: 'paused' })).total).toBe(many.length);
  expect(await channel()).toMatchObject({ templates_error: null });
});

test('one that is stopped changes nothing, and another process goes on when its lease has ended', async () => {
  whatsapp.settings.templateFaults = { 2: 'hang' };
  const stop = new AbortController();
  const stopped = sync(stop.signal);
  await expect.poll(() => whatsapp.templateRequests()).toBe(2);
  // Another process finds it begun.
  await sync();
  stop.abort();
  await stopped;
  expect(whatsapp.templateRequests()).toBe(2);
  expect(await names()).toEqual([]);
  await again();
  expect(await names()).toHaveLength(many.length);
});

test('one whose lease has ended saves nothing after another one has begun', async () => {
  whatsapp.settings.templateFaults = { 2: 'hang' };
  const stop = new AbortController();
  const late = sync(stop.signal);
  await expect.poll(() => whatsapp.templateRequests()).toBe(2);
  await setDue();
  const scope = { storeId, deadline: Date.now() + 10_000 };
  const begun = await messaging.dependencies.database.write(scope, (sql) => beginSync(sql, storeId, channelId, 60_000));
  stop.abort();
  await late;
  const [{ token, failures }] = await messaging.adminSql<[{ token: string; failures: number }]>`
    select template_sync_token as token, template_sync_failures as failures from channels where id = ${channelId}`;
  expect([token, failures]).toEqual([begun?.token, 0]);
});

const number = async () => (await channel()).number;
const toldOfNumber = async () =>
  (
    await messaging.adminSql<{ data: Record<string, unknown> }[]>`
      select data from feed_entries where store_id = ${storeId} and type = 'channel.number_changed' order by id`
  ).map(({ data }) => data);
const sound = {
  ...{ health: 'good', status: 'connected', quality: 'green', sending: 'available', messaging_limit: 'TIER_250' },
  ...{ name: 'Loja da Ana', name_status: 'approved' },
};
const bad = { ...soundNumber, status: 'FLAGGED', quality_rating: 'RED', limit: 'TIER_50' };

test('the state of the number is kept, also without the account, and each change is told once', async () => {
  channelId = await connect({});
  expect(await number()).toBeNull();
  await sync();
  expect(await number()).toEqual({ ...sound, checked_at: expect.any(String) });
  expect([whatsapp.numberRequests(), whatsapp.templateRequests()]).toEqual([1, 0]);
  await again();
  expect(await toldOfNumber()).toEqual([]);
  whatsapp.settings.number = bad;
  await again();
  await again();
  const flagged = { ...sound, health: 'warned', status: 'flagged', quality: 'red', messaging_limit: 'TIER_50' };
  expect(await number()).toMatchObject(flagged);
  expect(await toldOfNumber()).toEqual([{ ...flagged, previous: sound }]);
  expect(await channel()).toMatchObject({ templates_synced_at: null, templates_error: null });
});

test('a later version of the API is asked by its own names', async () => {
  channelId = await connect({ api_url: whatsapp.apiUrl.replace('v23.0', 'v25.0') });
  await sync();
  expect(await number()).toMatchObject(sound);
});

test.each([
  ['refused', { code: 80007 }],
  ['not answered', { status: 502, body: '<html>' }],
  ['answered by something else', { status: 200, body: '[]' }],
])('a question about the number that is %s keeps its state, and the templates are read', async (_, fault) => {
  await sync();
  const before = await number();
  whatsapp.settings.number = bad;
  whatsapp.settings.templates = [named('kept')];
  whatsapp.settings.numberFaults = [fault];
  await again();
  expect(await number()).toEqual(before);
  expect(await names()).toEqual(['kept']);
  expect(await channel()).toMatchObject({ templates_error: null });
  const [{ failures }] = await messaging.adminSql<[{ failures: number }]>`
    select template_sync_failures as failures from channels where id = ${channelId}`;
  expect(failures).toBe(1);
  await again();
  expect(await number()).toMatchObject({ status: 'flagged' });
});

test('the number of a channel that needs attention is asked for, too', async () => {
  await messaging.adminSql`update channels set status = 'needs_attention' where id = ${channelId}`;
  whatsapp.settings.fault = { code: 131031 };
  await sync();
  expect(await channel()).toMatchObject({
    status: 'needs_attention',
    number: { health: 'blocked', sending: 'blocked' },
  });
});

test.each([
  ...['phone_number_quality_update', 'phone_number_name_update', 'account_update', 'account_alerts'],
  ...['account_review_update', 'business_capability_update', 'business_status_update'],
])('the webhook %s makes the next one due, whatever it says', async (field) => {
  await sync();
  whatsapp.settings.number = bad;
  await sync();
  expect(await number()).toMatchObject(sound);
  await tell(field, { event: 'UPGRADE', display_phone_number: '15550783881', current_limit: 'TIER_UNLIMITED' });
  await sync();
  expect(await number()).toMatchObject({ status: 'flagged', messaging_limit: 'TIER_50' });
});

async function tell(field: string, value: object): Promise<void> {
  const payload = { object: 'whatsapp_business_account', entry: [{ id: '1', time: 1, changes: [{ field, value }] }] };
  const { effects = [], unreadable } = readNotification(payload, whatsapp.settings.phoneNumberId);
  expect(unreadable).toBe(0);
  for (const effect of effects) {
    if (effect.kind !== 'contact')
      await applyEffect(messaging.dependencies, { ...context(), storeId }, channelId, effect);
  }
}

test.each(['message_template_status_update', 'message_template_quality_update', 'template_category_update'])(
  'the webhook %s makes the next one due',
  async (field) => {
    whatsapp.settings.templates = [named('order_ready')];
    await sync();
    whatsapp.settings.templates = [named('order_ready', { status: 'PAUSED' })];
    await sync();
    expect((await list()).data).toMatchObject([{ status: 'approved' }]);
    await tell(field, { event: 'PAUSED', message_template_id: 1, message_template_name: 'order_ready' });
    await sync();
    expect((await list()).data).toMatchObject([{ status: 'paused' }]);
  },
);

test('a channel without the account is not asked for, and one of another account forgets the templates', async () => {
  await sync();
  await connect({ business_account_id: '99999' });
  expect(await names()).toEqual([]);
  expect(await channel()).toMatchObject({ business_account_id: '99999', templates_synced_at: null });
  await connect({});
  const requests = whatsapp.templateRequests();
  await sync();
  expect(whatsapp.templateRequests()).toBe(requests);
});

test('a channel that is connected again keeps its templates, and one that is disconnected has none', async () => {
  await sync();
  await connect();
  expect(await names()).toHaveLength(many.length);
  await messaging.rpc.call(disconnectChannel, {}, context());
  expect(await names()).toEqual([]);
});

test('a sandbox has its templates at once: three are approved, one is paused and one rejected', async () => {
  storeId = randomUUID();
  await messaging.rpc.call(connectChannel, { body: { provider: 'sandbox' } }, context());
  const statuses = (await list()).data.map(({ status }) => status).toSorted();
  expect(statuses).toEqual(['approved', 'approved', 'approved', 'paused', 'rejected']);
  // One that an earlier version connected gets them by the job.
  const old = randomUUID();
  await messaging.adminSql`insert into channels (store_id, provider) values (${old}, 'sandbox')`;
  await sync();
  storeId = old;
  expect(await names()).toHaveLength(5);
});

test('the list is read in pages, by status, name and language, and shows only this store', async () => {
  whatsapp.settings.templates = [
    named('a'),
    named('a', { language: 'en' }),
    named('b', { status: 'PAUSED' }),
    named('c'),
  ];
  await sync();
  const read = async (query: object) => {
    const { data, total } = await messaging.rpc.call(listTemplates, { query }, context());
    return [data.map(({ name, language }) => `${name} ${language}`), total];
  };
  expect(await read({ page: 2, limit: 3 })).toEqual([['c pt_BR'], 4]);
  expect(await read({ status: 'approved,rejected', language: 'pt_BR' })).toEqual([['a pt_BR', 'c pt_BR'], 2]);
  expect(await read({ name: 'a' })).toEqual([['a en', 'a pt_BR'], 2]);
  storeId = randomUUID();
  expect(await read({})).toEqual([[], 0]);
});
