import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { describeKitTables } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';

let database: TestDatabase;
let tables: string[];
const [storeId, otherId] = [randomUUID(), randomUUID()];

beforeAll(async () => {
  database = await createTestDatabase('scheduling');
  const { adminSql } = database;
  const found = await adminSql<{ name: string }[]>`
    select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'scheduling'::regnamespace and relkind = 'r' and attname = 'store_id' order by 1`;
  tables = found.map(({ name }) => name);
  for (const store of [storeId, otherId]) {
    const [appointment, connection] = [randomUUID(), randomUUID()];
    await adminSql`
      insert into appointments (store_id, id, title, scheduled_at, duration_minutes)
      values (${store}, ${appointment}, 'Haircut', now(), 60)`;
    await adminSql`
      insert into calendar_connections (store_id, id, provider, sealed_credentials)
      values (${store}, ${connection}, 'caldav', 'sealed')`;
    await adminSql`
      insert into calendar_syncs (store_id, appointment_id, connection_id, state, desired_version, next_attempt_at)
      values (${store}, ${appointment}, ${connection}, 'pending', 1, now())`;
    await adminSql`insert into calendar_watches (store_id, connection_id) values (${store}, ${connection})`;
    await adminSql`
      insert into calendar_objects (store_id, connection_id, href) values (${store}, ${connection}, 'https://c/e.ics')`;
    await adminSql`
      insert into calendar_busy_times (store_id, connection_id, href, starts_at, ends_at)
      values (${store}, ${connection}, 'https://c/e.ics', now(), now() + interval '1 hour')`;
    await adminSql`
      insert into followups (store_id, lead_id, message, due_at, next_attempt_at, cancel_on_reply, cancel_on_appointment)
      values (${store}, ${randomUUID()}, 'Hello', now(), now(), true, false)`;
    await adminSql`
      insert into report_quarters (store_id, subject, quarter, counts) values (${store}, ${store}, now(), '{}')`;
    await adminSql`insert into appointment_facts (store_id, metric) values (${store}, 'appointments_moved')`;
    await adminSql`insert into store_settings (store_id) values (${store})`;
    await adminSql`
      insert into booking_rules values (${store}, 'reject', 1, 30, 0, 0, 0, 365, null, '[]', 'UTC')`;
    await adminSql`
      insert into services (store_id, name, duration_minutes, seller_ids, is_active)
      values (${store}, 'Haircut', 60, '{}', true)`;
    await adminSql`
      insert into bookings (store_id, id, place, starts_at, ends_at, scheduled_at, duration_minutes)
      values (${store}, ${appointment}, ${store}, now(), now() + interval '1 hour', now(), 60)`;
    await adminSql`
      insert into outbox (store_id, kind, topic, data) values (${store}, 'event', 'scheduling.appointment.created', '{}')`;
    await adminSql`
      insert into feed_entries (store_id, type, entity_type, entity_id, data)
      values (${store}, 'appointment.created', 'appointment', ${appointment}, '{}')`;
    await adminSql`
      insert into idempotency_records (store_id, scope, key, fingerprint, reply)
      values (${store}, 'POST /appointments', 'k', 'f', '\\x7b7d')`;
    await adminSql`insert into list_totals (store_id, list, rows) values (${store}, 'appointments', 1)`;
    await adminSql`insert into list_totals_built (store_id, list) values (${store}, 'appointments')`;
  }
});
afterAll(() => database?.drop());

test('every data table has row-level security by store, which binds its owner too', async () => {
  const all = await database.adminSql`
    select relname as name, relrowsecurity and relforcerowsecurity as secured
    from pg_class where relnamespace = 'scheduling'::regnamespace and relkind = 'r'
      and relname not in ('schema_migrations', 'report_closing', 'restore_fence', 'provider_circuits')
    order by 1`;
  expect(all).toEqual(tables.map((name) => ({ name, secured: true })));
  expect(tables).toHaveLength(19);
});

test('a request sees and writes only the rows of its store, and none without a store', async () => {
  for (const table of tables) {
    const rowsFor = (store: string | null) =>
      database.as('scheduling', store, (sql) => sql`select distinct store_id from ${sql(table)}`);
    expect(await rowsFor(storeId), table).toEqual([{ store_id: storeId }]);
    expect(await rowsFor(null), table).toEqual([]);
  }
  const intruding = database.as(
    'scheduling',
    storeId,
    (sql) => sql`
      insert into appointments (store_id, title, scheduled_at, duration_minutes) values (${otherId}, 'x', now(), 1)`,
  );
  await expect(intruding).rejects.toThrow('row-level security');
  const { count } = await database.as(
    'scheduling',
    storeId,
    (sql) => sql`update appointments set title = 'x' where store_id = ${otherId}`,
  );
  expect(count).toBe(0);
});

test('requests see the report facts and the rows of lists of their store only and cannot write rollups, and the system role sees all stores', async () => {
  for (const view of ['report_facts_of_subjects', 'lead_report_facts', 'appointment_facts']) {
    const rowsFor = (role: string, store: string | null) =>
      database.as(role, store, (sql) => sql`select distinct store_id from ${sql(view)}`);
    expect(await rowsFor('scheduling', storeId), view).toEqual([{ store_id: storeId }]);
    expect(await rowsFor('scheduling', null), view).toEqual([]);
    expect(await rowsFor('scheduling_system', null), view).toHaveLength(2);
  }
  // The previous version fails a report with a metric that it does not know.
  const unknown = await database.as(
    'scheduling_system',
    null,
    (sql) => sql`select from report_facts where metric in (select metric from appointment_facts)`,
  );
  expect(unknown).toEqual([]);
  const listed = (role: string, store: string | null) =>
    database.as(role, store, (sql) => sql`select distinct store_id from list_rows`);
  expect(await listed('scheduling', storeId)).toEqual([{ store_id: storeId }]);
  expect(await listed('scheduling', null)).toEqual([]);
  await expect(listed('scheduling_system', null)).rejects.toThrow('permission denied');
  for (const table of ['report_quarters', 'report_closing']) {
    const deleting = database.as('scheduling', storeId, (sql) => sql`delete from ${sql(table)}`);
    await expect(deleting, table).rejects.toThrow('permission denied');
  }
});

test('the system role sees every store, but no credentials and no content of appointments or follow-ups', async () => {
  const seen = await database.as('scheduling_system', null, (sql) => sql`select store_id from calendar_syncs`);
  expect(seen).toHaveLength(2);
  for (const [column, table] of [
    ['title', 'appointments'],
    ['notes', 'appointments'],
    ['sealed_credentials', 'calendar_connections'],
    ['settings', 'calendar_connections'],
    ['event_id', 'calendar_syncs'],
    ['message', 'followups'],
    ['template', 'followups'],
  ] as const) {
    const reading = database.as('scheduling_system', null, (sql) => sql`select ${sql(column)} from ${sql(table)}`);
    await expect(reading, `${table}.${column}`).rejects.toThrow('permission denied');
  }
  const changing = database.as('scheduling_system', null, (sql) => sql`update calendar_syncs set state = 'synced'`);
  await expect(changing).rejects.toThrow('permission denied');
});

test('the columns enforce the limits of the API', async () => {
  const row = { store_id: storeId, title: 'x', scheduled_at: new Date(), duration_minutes: 60 };
  for (const wrong of [
    { title: '' },
    { title: 'x'.repeat(201) },
    { notes: 'x'.repeat(5001) },
    { duration_minutes: 0 },
    { duration_minutes: 1441 },
    { status: 'lost' },
  ]) {
    const inserting = database.as(
      'scheduling',
      storeId,
      (sql) => sql`insert into appointments ${sql({ ...row, ...wrong })}`,
    );
    await expect(inserting, JSON.stringify(wrong).slice(0, 40)).rejects.toThrow('violates check constraint');
  }
});

test('the tables of kit and rollups match their canonical text', async () => {
  const { actual, canonical } = await describeKitTables(database, 'scheduling', {
    countsLists: true,
    callsProviders: true,
    publishesEvents: true,
  });
  expect(actual).toEqual(canonical);
});
