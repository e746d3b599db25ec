import {
  createApiKey,
  createStore,
  getCalendarConnection,
  getChannelConnection,
  getStoreSettings,
  listApiKeys,
  listStores,
  replanFollowups,
  scopes,
  updateStore,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;
const nobody = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

test('a new store has the defaults and the rate of its tier', async () => {
  const store = await gateway.admin(createStore, { body: { name: ' Padaria ' } });
  expect(store).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Padaria',
    tier: 'free',
    timezone: 'UTC',
    locale: 'en',
    country: null,
    requests_per_minute: 60,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: store.created_at,
  });
});

test('an update changes only the given settings, and a null rate restores the rate of the tier', async () => {
  const { id } = await gateway.admin(createStore, {
    body: { name: 'A', tier: 'starter', timezone: 'America/Sao_Paulo', locale: 'pt-BR', rate_limit: 7 },
  });
  const renamed = await gateway.admin(updateStore, { body: { store_id: id, name: 'B' } });
  expect(renamed).toMatchObject({
    name: 'B',
    tier: 'starter',
    timezone: 'America/Sao_Paulo',
    locale: 'pt-BR',
    country: 'BR',
    requests_per_minute: 7,
  });
  expect(Date.parse(renamed.updated_at)).toBeGreaterThanOrEqual(Date.parse(renamed.created_at));
  const changed = await gateway.admin(updateStore, {
    body: { store_id: id, tier: 'pro', locale: 'en', rate_limit: null },
  });
  expect(changed).toMatchObject({
    name: 'B',
    tier: 'pro',
    timezone: 'America/Sao_Paulo',
    locale: 'en',
    requests_per_minute: 6000,
  });
});

test('a store has the country of its time zone or locale, unless one is set', async () => {
  const countryOf = async (body: object) =>
    (await gateway.admin(createStore, { body: { name: 'A', ...body } })).country;
  expect(await countryOf({ timezone: 'America/Sao_Paulo', locale: 'en-US' })).toBe('BR');
  expect(await countryOf({ locale: 'pt-PT' })).toBe('PT');
  expect(await countryOf({ timezone: 'America/Sao_Paulo', country: 'MX' })).toBe('MX');
  const { id } = await gateway.admin(createStore, { body: { name: 'A' } });
  const update = async (body: object) =>
    (await gateway.admin(updateStore, { body: { store_id: id, ...body } })).country;
  expect([await update({ country: 'AR' }), await update({ locale: 'pt-BR' })]).toEqual(['AR', 'AR']);
});

test('a new time zone replans the follow-ups, and after a failure the same update retries it', async () => {
  const { id } = await gateway.admin(createStore, { body: { name: 'A' } });
  const change = () => gateway.admin(updateStore, { body: { store_id: id, timezone: 'America/Sao_Paulo' } });
  await expect(change()).rejects.toMatchObject({ code: 'upstream_timeout', retryable: true });
  const replanned: string[] = [];
  await gateway.serve(
    'scheduling',
    { replanFollowups },
    {
      replanFollowups: async ({ storeId }) => {
        replanned.push(storeId);
        return { done: true as const };
      },
    },
  );
  expect(await change()).toMatchObject({ timezone: 'America/Sao_Paulo' });
  expect(replanned).toEqual([id]);
  const settings = await gateway.rpc.call(getStoreSettings, {}, testContext({ storeId: id }));
  expect(settings).toEqual({ timezone: 'America/Sao_Paulo', locale: 'en' });
});

test.each([
  [{ name: '' }],
  [{ name: 'A', tier: 'gold' }],
  [{ name: 'A', timezone: 'Mars/Olympus' }],
  [{ name: 'A', country: 'br' }],
  [{ name: 'A', country: 'AA' }],
  [{ name: 'A', rate_limit: 0 }],
])('the invalid store %j is rejected', async (body) => {
  await expect(gateway.admin(createStore, { body: body as never })).rejects.toMatchObject({
    code: 'validation_failed',
  });
});

test('an operation on an unknown store gets store_not_found', async () => {
  const refused = { code: 'store_not_found' };
  await expect(gateway.admin(updateStore, { body: { store_id: nobody, name: 'A' } })).rejects.toMatchObject(refused);
  await expect(gateway.admin(createApiKey, { body: { store_id: nobody, name: 'A' } })).rejects.toMatchObject(refused);
  await expect(gateway.admin(listApiKeys, { body: { store_id: nobody } })).rejects.toMatchObject(refused);
});

test('stores are listed by name, 200 to a page, each once', async () => {
  await gateway.database.adminSql`
    insert into stores (name, tier, timezone, locale)
    select 'Loja ' || (n % 100), 'free', 'UTC', 'en' from generate_series(1, 430) n`;
  const seen: string[] = [];
  let page = await gateway.admin(listStores, { body: {} });
  for (;;) {
    seen.push(...page.stores.map(({ id }) => id));
    if (!page.more) break;
    expect(page.stores).toHaveLength(200);
    page = await gateway.admin(listStores, { body: { after_id: seen.at(-1) } });
  }
  const [row] = await gateway.database.adminSql`select count(*)::integer as count from stores`;
  expect(seen).toHaveLength(row?.count);
  expect(new Set(seen).size).toBe(seen.length);
});

test('a key has all scopes unless it is created with fewer, and lists show no secret', async () => {
  const { store, apiKey, key } = await gateway.newStore();
  expect(key).toMatchObject({ store_id: store.id, scopes, expires_at: null, revoked_at: null, last_used_at: null });
  const expires_at = '2030-01-01T00:00:00+02:00';
  const made = await gateway.admin(createApiKey, {
    body: { store_id: store.id, name: 'reader', scopes: ['leads:read'], expires_at },
  });
  expect(made.key).toMatchObject({ scopes: ['leads:read'], expires_at: '2029-12-31T22:00:00.000Z' });
  const { keys } = await gateway.admin(listApiKeys, { body: { store_id: store.id } });
  expect(keys.map(({ name }) => name)).toEqual(['reader', 'test']);
  expect(JSON.stringify(keys)).not.toContain(apiKey.split('_')[3]);
});

test("the runtime role sees only its store's rows, even if a statement names no store", async () => {
  const [mine, other] = [await gateway.newStore(), await gateway.newStore()];
  const scope = { storeId: mine.store.id, deadline: Date.now() + 30_000 };
  const stores = await gateway.database.database.read(scope, (sql) => sql<{ id: string }[]>`select id from stores`);
  expect(stores.map(({ id }) => id)).toEqual([mine.store.id]);
  const keys = await gateway.database.database.read(scope, (sql) => sql<{ id: string }[]>`select id from api_keys`);
  expect(keys.map(({ id }) => id)).toEqual([mine.key.id]);
  await expect(
    gateway.database.database.write(
      scope,
      (sql) => sql`update api_keys set store_id = ${other.store.id} where id = ${mine.key.id}`,
    ),
  ).rejects.toThrow();
});

test('the system role can write only the last use of a key', async () => {
  const { key } = await gateway.newStore();
  const scope = { deadline: Date.now() + 30_000 };
  const { systemDatabase } = gateway.database;
  await systemDatabase.write(scope, (sql) => sql`update api_keys set last_used_at = now() where id = ${key.id}`);
  for (const column of ['revoked_at', 'expires_at']) {
    await expect(
      systemDatabase.write(scope, (sql) => sql.unsafe(`update api_keys set ${column} = null where id = '${key.id}'`)),
    ).rejects.toThrow();
  }
  await expect(systemDatabase.write(scope, (sql) => sql`delete from stores`)).rejects.toThrow();
});

test('GET /store combines the answers of the other services, and gets 503 while one of them is down', async () => {
  const { store, apiKey } = await gateway.newStore();
  const ask = () => gateway.app.inject({ url: '/integrations/v1/store', headers: { 'x-api-key': apiKey } });
  expect((await ask()).statusCode).toBe(503);

  const askedFor: string[] = [];
  await gateway.serve(
    'scheduling',
    { getCalendarConnection },
    {
      getCalendarConnection: async ({ storeId }) => {
        askedFor.push(storeId);
        return { provider: 'feed', status: 'connected' };
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
        return { provider: null, status: 'not_connected', phone: null };
      },
    },
  );
  const answer = await ask();
  expect(answer.statusCode).toBe(200);
  const { requests_per_minute: _, ...shown } = store;
  expect(answer.json()).toEqual({
    ...shown,
    calendar: { provider: 'feed', status: 'connected' },
    channel: { provider: null, status: 'not_connected', phone: null },
  });
  expect(new Set(askedFor)).toEqual(new Set([store.id]));
});
