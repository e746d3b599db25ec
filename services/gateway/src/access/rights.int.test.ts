import { createTestDatabase, onServer, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStoreRows } from '../../test/stores.ts';

// What an attacker who runs code in the gateway can do with its address of the database.

let database: TestDatabase;
let storeId: string;
let keyId: string;

beforeAll(async () => {
  database = await createTestDatabase('gateway');
  const { newStore } = createStoreRows(database.adminSql, () => {});
  const { store, key } = await newStore();
  [storeId, keyId] = [store.id, key.id];
});
afterAll(() => database?.drop());

const hash = "decode(repeat('00', 32), 'hex')";
const writes = () => [
  `insert into accounts.api_keys (id, store_id, name, key_hash) values ('abcdefgh', '${storeId}', 'mine', ${hash})`,
  `insert into accounts.stores (name, tier, timezone, locale) values ('Mine', 'enterprise', 'UTC', 'en')`,
  ...[
    `key_hash = ${hash}`,
    'scopes = null',
    'expires_at = null',
    'revoked_at = null',
    'last_used_at = now()',
    `id = 'abcdefgh'`,
    `name = 'mine'`,
  ].map((change) => `update accounts.api_keys set ${change} where id = '${keyId}'`),
  `update accounts.stores set tier = 'enterprise' where id = '${storeId}'`,
  `delete from accounts.api_keys where id = '${keyId}'`,
  `delete from accounts.deleted_api_keys`,
  `insert into accounts.deleted_api_keys (id, deleted_at) values ('abcdefgh', now())`,
  `select 1 from accounts.api_keys where id = '${keyId}' for update`,
  'truncate accounts.api_keys cascade',
  `merge into accounts.api_keys k using (values ('${keyId}')) v (id) on k.id = v.id when matched then update set scopes = null`,
  `copy accounts.api_keys (id) from stdin`,
  'select accounts.touch()',
  'alter table accounts.api_keys disable trigger all',
  `update gateway.api_keys set revoked_at = null where id = '${keyId}'`,
];

test('it can create, change and delete neither a key nor a store', async () => {
  await onServer(database.systemUrl, async (sql) => {
    await sql`select set_config('mostrador.store_id', ${storeId}, false)`;
    for (const statement of writes()) {
      const code = await sql.unsafe(statement).then(
        () => 'none',
        (error: { code?: string }) => error.code,
      );
      // No right, or no such view.
      expect(['42501', '42P01', '0A000'], statement).toContain(code);
    }
  });
  const [row] = await database.adminSql`
    select (select count(*)::int from accounts.stores) as stores, count(*)::int as keys, max(scopes::text) as scopes
    from accounts.api_keys`;
  expect(row).toEqual({ stores: 1, keys: 1, scopes: null });
});

test('it reads neither their names nor their use', async () => {
  for (const column of ['name', 'last_used_at', 'created_at']) {
    const reading = database.as('gateway_system', null, (sql) => sql`select ${sql(column)} from accounts.api_keys`);
    await expect(reading, column).rejects.toThrow('permission denied');
  }
});
