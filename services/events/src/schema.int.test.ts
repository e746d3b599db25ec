import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { describeKitTables } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';

let database: TestDatabase;
const [storeId, otherId] = [randomUUID(), randomUUID()];

beforeAll(async () => {
  database = await createTestDatabase('events');
  const { adminSql } = database;
  await database.as('events_system', null, (sql) => sql`select make_event_partition(current_date)`);
  await adminSql`select make_event_partition((now() at time zone 'UTC')::date)`;
  for (const store of [storeId, otherId]) {
    await adminSql`insert into feeds (store_id, last_sequence, last_appended_at) values (${store}, 1, now())`;
    await adminSql`
      insert into events (store_id, sequence, id, type, entity_type, entity_id, entity_version, data, created_at, appended_at)
      values (${store}, 1, ${randomUUID()}, 'lead.created', 'lead', ${randomUUID()}, 1, '{}', now(), now())`;
  }
});
afterAll(() => database?.drop());

test('every table has row-level security that binds its owner too, and so has every partition', async () => {
  const tables = await database.adminSql`
    select relname as name, relrowsecurity and relforcerowsecurity as secured
    from pg_class where relnamespace = 'events'::regnamespace and relkind in ('r', 'p')
      and relname <> 'schema_migrations' order by 1`;
  expect(tables).toEqual(tables.map(({ name }) => ({ name, secured: true })));
  const names = tables.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['events', 'feeds', 'idempotency_records', 'outbox']));
  expect(names.filter((name) => /^events_\d{8}$/.test(name))).toHaveLength(1);
});

test.each(['feeds', 'events'])('requests see only their own store’s %s, and none without a store', async (table) => {
  const rowsFor = (store: string | null) =>
    database.as('events', store, (sql) => sql`select distinct store_id from ${sql(table)}`);
  expect(await rowsFor(storeId)).toEqual([{ store_id: storeId }]);
  expect(await rowsFor(null)).toEqual([]);
});

test('requests cannot write a feed, nobody changes or deletes an event, and no role reads a partition past the policies', async () => {
  const [partition] = await database.adminSql`select inhrelid::regclass::text as name from pg_inherits limit 1`;
  const attempts: [string, string][] = [
    ['events', 'update feeds set last_sequence = 9'],
    ['events', 'delete from events'],
    ['events', 'select make_event_partition(current_date)'],
    ['events', 'select drop_event_partition(current_date)'],
    ['events_system', 'delete from events'],
    ['events_system', "update events set data = '{}'"],
    ['events_system', 'delete from feeds'],
    ['events_system', `drop table ${partition?.name}`],
    ['events_system', `select * from ${partition?.name}`],
    ['events', `select * from ${partition?.name}`],
  ];
  for (const [role, statement] of attempts) {
    const trying = database.as(role, storeId, (sql) => sql.unsafe(statement));
    await expect(trying, `${role}: ${statement}`).rejects.toThrow(/permission denied|must be owner/);
  }
});

test('the tables of the kit match their canonical text', async () => {
  const { actual, canonical } = await describeKitTables(database, 'events', { hasReports: false });
  expect(actual).toEqual(canonical);
});
