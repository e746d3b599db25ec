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

test('requests cannot write a feed, no role changes or deletes an event, and no role reads a partition past the policies', async () => {
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

test('requests see only their own store’s webhooks, and the system role neither addresses nor secrets nor answers', async () => {
  for (const store of [storeId, otherId]) {
    const [endpoint, delivery] = [randomUUID(), randomUUID()];
    await database.adminSql`
      insert into webhook_endpoints (store_id, id, url, ordering, payload, max_in_flight, sealed_secrets, planned_through)
      values (${store}, ${endpoint}, 'https://hooks.example/', 'entity', 'object', 5, 'v1.k.n.c', 0)`;
    await database.adminSql`
      insert into webhook_deliveries (store_id, id, endpoint_id, event_id, event_type, entity_id, occurred_at)
      values (${store}, ${delivery}, ${endpoint}, ${randomUUID()}, 'webhook.test', ${endpoint}, now())`;
    await database.adminSql`
      insert into webhook_attempts (store_id, delivery_id, number, endpoint_id, started_at, duration_ms)
      values (${store}, ${delivery}, 1, ${endpoint}, now(), 1)`;
    await database.adminSql`
      insert into webhook_replays (store_id, endpoint_id, selection, from_sequence, to_sequence, looked_through)
      values (${store}, ${endpoint}, 'all', 1, 1, 0)`;
  }
  for (const table of ['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts', 'webhook_replays']) {
    const rowsFor = (role: string, store: string | null) =>
      database.as(role, store, (sql) => sql`select distinct store_id from ${sql(table)}`);
    expect(await rowsFor('events', storeId), table).toEqual([{ store_id: storeId }]);
    expect(await rowsFor('events', null), table).toEqual([]);
    expect(await rowsFor('events_system', null), table).toHaveLength(2);
  }
  const listed = (role: string, store: string | null) =>
    database.as(role, store, (sql) => sql`select distinct store_id from list_rows`);
  expect(await listed('events', storeId)).toEqual([{ store_id: storeId }]);
  expect(await listed('events', null)).toEqual([]);
  await expect(listed('events_system', null)).rejects.toThrow('permission denied');
  for (const [column, table] of [
    ['url', 'webhook_endpoints'],
    ['sealed_secrets', 'webhook_endpoints'],
    ['response_body', 'webhook_attempts'],
  ] as const) {
    const reading = database.as('events_system', null, (sql) => sql`select ${sql(column)} from ${sql(table)}`);
    await expect(reading, `${table}.${column}`).rejects.toThrow('permission denied');
  }
});

test('the tables of the kit match their canonical text', async () => {
  const { actual, canonical } = await describeKitTables(database, 'events', { hasReports: false, countsLists: true });
  expect(actual).toEqual(canonical);
});
