import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { describeKitTables } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertLead } from './leads/lead.repository.ts';
import { newLead } from './leads/lead.ts';

let database: TestDatabase;
const [storeId, otherId] = [randomUUID(), randomUUID()];
const scopeOf = (store: string) => ({ storeId: store, deadline: Date.now() + 30_000 });

beforeAll(async () => {
  database = await createTestDatabase('crm');
  for (const store of [storeId, otherId]) {
    const [ana] = await database.adminSql`
      insert into sellers (store_id, name, whatsapp_id) values (${store}, 'Ana', '5511900000100') returning id`;
    const lead = newLead({ name: 'Maria', customer_phone: '5511900000001', seller_id: ana?.id, tags: ['vip'] });
    const row = await database.database.write(scopeOf(store), (sql) => insertLead(sql, store, lead));
    await database.adminSql`
      insert into merged_leads (store_id, id, merged_into, merged_at, lead)
      values (${store}, ${randomUUID()}, ${row?.id ?? null}, now(), '{}')`;
  }
});
afterAll(() => database?.drop());

test('every table has a store column, and row-level security that also applies to its owner', async () => {
  const tables = await database.adminSql`
    select relname as name, relrowsecurity and relforcerowsecurity as secured,
      exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'store_id' and attnotnull) as has_store
    from pg_class where relnamespace = 'crm'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'
    order by 1`;
  // The rollups of all stores close together, so `report_closing` has no store.
  expect(tables).toEqual(tables.map(({ name }) => ({ name, secured: true, has_store: name !== 'report_closing' })));
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'feed_entries',
      'idempotency_records',
      'lead_status_changes',
      'leads',
      'outbox',
      'sellers',
    ]),
  );
});

test.each([
  'leads',
  'lead_tags',
  'merged_leads',
  'sellers',
  'lead_status_changes',
  'lead_seller_changes',
  'report_facts',
  'list_rows',
])('requests see only their own store’s %s', async (table) => {
  const stores = await database.database.read(
    scopeOf(storeId),
    (sql) => sql`select distinct store_id from ${sql(table)}`,
  );
  expect(stores).toEqual([{ store_id: storeId }]);
});

test('the system role sees no rows of lists', async () => {
  const reading = database.systemDatabase.read(scopeOf(storeId), (sql) => sql`select from list_rows`);
  await expect(reading).rejects.toThrow('permission denied');
});

test('requests cannot write rows of another store, not even into a history', async () => {
  const intruding = database.database.write(
    scopeOf(storeId),
    (sql) => sql`
      insert into lead_status_changes (store_id, lead_id, version, to_status, changed_at)
      select store_id, ${randomUUID()}, 2, 'lost', now() from unnest(${[otherId]}::uuid[]) as store_id`,
  );
  await expect(intruding).rejects.toThrow('row-level security');
});

test('a history is never changed or deleted', async () => {
  for (const table of ['lead_status_changes', 'lead_seller_changes']) {
    for (const statement of [`update ${table} set version = 9`, `delete from ${table}`]) {
      const changing = database.database.write(scopeOf(storeId), (sql) => sql.unsafe(statement));
      await expect(changing, statement).rejects.toThrow('permission denied');
    }
  }
});

test('the check constraints enforce the limits of the API', async () => {
  const row = { store_id: storeId, name: 'x', customer_phone: '5511900000009' };
  const wrong = [{ name: '' }, { name: 'x'.repeat(201) }, { customer_phone: '1' }, { status: 'won' }];
  for (const members of wrong) {
    const inserting = database.database.write(
      scopeOf(storeId),
      (sql) => sql`insert into leads ${sql({ ...row, ...members })}`,
    );
    await expect(inserting, JSON.stringify(members).slice(0, 40)).rejects.toThrow('violates check constraint');
  }
});

test('the tables of the packages match their canonical SQL', async () => {
  const { actual, canonical } = await describeKitTables(database, 'crm', { publishesEvents: true, countsLists: true });
  expect(actual).toEqual(canonical);
});
