import {
  createApiKey,
  createStore,
  getStoreSettings,
  listApiKeys,
  listStores,
  replanFollowups,
  updateStore,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';

const accounts = accountsForFile();
const absent = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';

test('a new store has the defaults and the rate of its tier', async () => {
  const store = await accounts.admin(createStore, { body: { name: ' Padaria ' } });
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
  const { id } = await accounts.admin(createStore, {
    body: { name: 'A', tier: 'starter', timezone: 'America/Sao_Paulo', locale: 'pt-BR', rate_limit: 7 },
  });
  const renamed = await accounts.admin(updateStore, { body: { store_id: id, name: 'B' } });
  expect(renamed).toMatchObject({
    name: 'B',
    tier: 'starter',
    timezone: 'America/Sao_Paulo',
    locale: 'pt-BR',
    country: 'BR',
    requests_per_minute: 7,
  });
  expect(Date.parse(renamed.updated_at)).toBeGreaterThanOrEqual(Date.parse(renamed.created_at));
  const changed = await accounts.admin(updateStore, {
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
    (await accounts.admin(createStore, { body: { name: 'A', ...body } })).country;
  expect(await countryOf({ timezone: 'America/Sao_Paulo', locale: 'en-US' })).toBe('BR');
  expect(await countryOf({ locale: 'pt-PT' })).toBe('PT');
  expect(await countryOf({ timezone: 'America/Sao_Paulo', country: 'MX' })).toBe('MX');
  const { id } = await accounts.admin(createStore, { body: { name: 'A' } });
  const update = async (body: object) =>
    (await accounts.admin(updateStore, { body: { store_id: id, ...body } })).country;
  expect([await update({ country: 'AR' }), await update({ locale: 'pt-BR' })]).toEqual(['AR', 'AR']);
});

test('a new time zone replans the follow-ups, and after a failure the same update retries it', async () => {
  const { id } = await accounts.admin(createStore, { body: { name: 'A' } });
  const change = () => accounts.admin(updateStore, { body: { store_id: id, timezone: 'America/Sao_Paulo' } });
  await expect(change()).rejects.toMatchObject({ code: 'upstream_timeout', retryable: true });
  const replanned: string[] = [];
  await accounts.serve(
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
  const settings = await accounts.rpc.call(getStoreSettings, {}, testContext({ storeId: id }));
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
  await expect(accounts.admin(createStore, { body: body as never })).rejects.toMatchObject({
    code: 'validation_failed',
  });
});

test('an operation on an unknown store gets store_not_found', async () => {
  const refused = { code: 'store_not_found' };
  await expect(accounts.admin(updateStore, { body: { store_id: absent, name: 'A' } })).rejects.toMatchObject(refused);
  await expect(accounts.admin(createApiKey, { body: { store_id: absent, name: 'A' } })).rejects.toMatchObject(refused);
  await expect(accounts.admin(listApiKeys, { body: { store_id: absent } })).rejects.toMatchObject(refused);
});

test('stores are listed by name, 200 to a page, each once', async () => {
  await accounts.adminSql`
    insert into stores (name, tier, timezone, locale)
    select 'Loja ' || (n % 100), 'free', 'UTC', 'en' from generate_series(1, 430) n`;
  const seen: string[] = [];
  let page = await accounts.admin(listStores, { body: {} });
  for (;;) {
    seen.push(...page.stores.map(({ id }) => id));
    if (!page.more) break;
    expect(page.stores).toHaveLength(200);
    page = await accounts.admin(listStores, { body: { after_id: seen.at(-1) } });
  }
  const [row] = await accounts.adminSql`select count(*)::integer as count from stores`;
  expect(seen).toHaveLength(row?.count);
  expect(new Set(seen).size).toBe(seen.length);
});

test('one store is read by its id, and an unknown one is not there', async () => {
  const { store } = await accounts.newStore();
  expect(await accounts.admin(listStores, { body: { store_id: store.id } })).toEqual({ stores: [store], more: false });
  expect(await accounts.admin(listStores, { body: { store_id: absent } })).toEqual({ stores: [], more: false });
});

test("the runtime role sees only its store's rows, even if a statement names no store", async () => {
  const [mine, other] = [await accounts.newStore(), await accounts.newStore()];
  const scope = { storeId: mine.store.id, deadline: Date.now() + 30_000 };
  const stores = await accounts.database.read(scope, (sql) => sql<{ id: string }[]>`select id from stores`);
  expect(stores.map(({ id }) => id)).toEqual([mine.store.id]);
  const keys = await accounts.database.read(scope, (sql) => sql<{ id: string }[]>`select id from api_keys`);
  expect(keys.map(({ id }) => id)).toEqual([mine.key.id]);
  await expect(
    accounts.database.write(
      scope,
      (sql) => sql`update api_keys set store_id = ${other.store.id} where id = ${mine.key.id}`,
    ),
  ).rejects.toThrow();
});

test('the system role can write only the last use of a key and its revocation, which is final', async () => {
  const { key } = await accounts.newStore();
  const scope = { deadline: Date.now() + 30_000 };
  const { systemDatabase } = accounts;
  await systemDatabase.write(scope, (sql) => sql`update api_keys set last_used_at = now() where id = ${key.id}`);
  await systemDatabase.write(scope, (sql) => sql`update api_keys set revoked_at = now() where id = ${key.id}`);
  for (const change of ['revoked_at = null', 'expires_at = null', "scopes = '{leads:read}'"]) {
    await expect(
      systemDatabase.write(scope, (sql) => sql.unsafe(`update api_keys set ${change} where id = '${key.id}'`)),
    ).rejects.toThrow();
  }
  await expect(systemDatabase.write(scope, (sql) => sql`delete from stores`)).rejects.toThrow();
});
