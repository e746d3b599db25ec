import { type ApiKey, getApiKey, getCalendarConnection, getChannelConnection } from '@mostrador/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

test('GET /store combines the answers of the other services, and gets 503 while one of them is down', async () => {
  const { store, apiKey } = await gateway.newStore({ timezone: 'America/Sao_Paulo' });
  const ask = () => gateway.app.inject({ url: '/integrations/v1/store', headers: { 'x-api-key': apiKey } });
  const message_budget = { amount: 10, spent: 2.5, currency: 'XTS', month: '2026-11' };
  expect((await ask()).statusCode).toBe(503);

  const sending_windows = [{ weekdays: ['monday' as const], from: '09:00', to: '18:00' }];
  const askedFor: string[] = [];
  await gateway.serve(
    'scheduling',
    { getCalendarConnection },
    {
      getCalendarConnection: async ({ storeId }) => {
        askedFor.push(storeId);
        return { provider: 'feed', status: 'connected', sending_windows };
      },
    },
  );
  expect((await ask()).statusCode).toBe(503);
  await gateway.serve(
    'messaging',
    { getChannelConnection },
    {
      getChannelConnection: async ({ storeId }) => {
        askedFor.push(storeId);
        const channel = { provider: null, status: 'not_connected' as const, phone: null };
        return { ...channel, opt_out_stops_api: true, message_budget };
      },
    },
  );
  const answer = await ask();
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({
    ...store,
    country: 'BR',
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
    calendar: { provider: 'feed', status: 'connected' },
    channel: { provider: null, status: 'not_connected', phone: null },
    opt_out_stops_api: true,
    message_budget,
    sending_windows,
  });
  expect(new Set(askedFor)).toEqual(new Set([store.id]));
});

test('GET /me tells every key, whatever its scopes and its tier, who it is, for which store, and how fast it may ask', async () => {
  const settings = { tier: 'free', rate_limit: 90, timezone: 'Europe/Lisbon', locale: 'pt-PT' } as const;
  const { store, apiKey, key } = await gateway.newStore({ ...settings, scopes: ['reports:read'] });
  const ask = (method: 'GET' | 'HEAD' = 'GET') =>
    gateway.app.inject({ method, url: '/integrations/v1/me', headers: { 'x-api-key': apiKey } });
  expect((await ask()).json()).toMatchObject({ status: 503, code: 'service_unavailable' });

  const row: ApiKey = {
    ...{ id: key.id, store_id: store.id, name: 'ERP', scopes: ['reports:read'] },
    ...{ created_at: '2026-01-05T12:31:07.003Z', expires_at: null, revoked_at: null, last_used_at: null },
  };
  const asked: unknown[] = [];
  await gateway.serve(
    'accounts',
    { getApiKey },
    {
      getApiKey: async ({ storeId }, { body }) => {
        asked.push([storeId, body.key_id]);
        return row;
      },
    },
  );
  const answer = await ask();
  const { id, name, scopes, expires_at, created_at } = row;
  const { id: storeId, name: storeName, tier, timezone, locale } = store;
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    {
      key: { id, name, scopes, expires_at, created_at },
      store: { id: storeId, name: storeName, tier, timezone, locale, country: 'PT' },
      rate_limit: { requests_per_minute: 90 },
    },
  ]);
  expect(answer.headers['ratelimit-policy']).toBe('"default";q=90;w=60');
  expect((await ask('HEAD')).statusCode).toBe(200);
  expect(asked).toEqual([
    [store.id, key.id],
    [store.id, key.id],
  ]);
  const stranger = await gateway.app.inject({ url: '/platform/v1/me', headers: { 'x-api-key': apiKey } });
  expect(stranger.statusCode).toBe(404);
});
