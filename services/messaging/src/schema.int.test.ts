import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { describeKitTables } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';

let database: TestDatabase;
let tables: string[];
const [storeId, otherId] = [randomUUID(), randomUUID()];

beforeAll(async () => {
  database = await createTestDatabase('messaging');
  const { adminSql } = database;
  const found = await adminSql<{ name: string }[]>`
    select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'messaging'::regnamespace and relkind = 'r' and attname = 'store_id' order by 1`;
  tables = found.map(({ name }) => name);
  for (const store_id of [storeId, otherId]) {
    const [channel_id, lead_id, session_id, id] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const insert = (table: string, row: Record<string, unknown>) =>
      adminSql`insert into ${adminSql(table)} ${adminSql({ store_id, ...row } as Record<string, string>)}`;
    const now = new Date();
    await insert('store_settings', {});
    await insert('message_budgets', { month: '2026-11-01' });
    await insert('channels', { id: channel_id, provider: 'sandbox', sealed_credentials: 'sealed' });
    await insert('conversations', { lead_id, wa_id: '5511900000001' });
    await insert('customer_user_ids', { user_id: 'BR.1', lead_id });
    await insert('sessions', { id: session_id, lead_id, started_at: now, last_message_at: now });
    const message = { id, lead_id, session_id, number: 1, direction: 'outbound', source: 'api', status: 'queued' };
    const price = { priced_at: now, priced_as: 'billed_service', priced_micros: 5 };
    await insert('messages', { ...message, ...price, body: 'Olá' });
    await insert('inbound_payloads', { channel_id, payload: '{}' });
    const report = { provider_message_id: 'wamid.1', status: 'sent', reported_at: now };
    await insert('status_reports', { channel_id, ...report });
    const change = {
      provider_message_id: 'wamid.1',
      kind: 'reaction',
      source: 'lead',
      event_id: 'wamid.2',
      changed_at: now,
    };
    await insert('message_changes', { channel_id, ...change });
    await insert('identity_changes', { channel_id, event_id: 'wamid.3', from_wa_id: '5511900000001', changed_at: now });
    const kept = { phone_key: '5511900000009', effect: '{}', told_at: now, kept_until: now };
    await insert('kept_effects', { customer: '5511900000009', kind: 'call', part: '', ...kept });
    await insert('report_quarters', { subject: store_id, quarter: now, counts: '{}' });
    await insert('sandbox_deliveries', { id, channel_id, customer_phone: '5511900000001', body: 'Olá' });
    const words = { status: 'approved', category: 'utility', quality: 'green', variables: 'named' };
    await insert('templates', { channel_id, name: 'ready', language: 'en', ...words, components: '[]' });
    await insert('outbox', { kind: 'event', topic: 'messaging.session.started', data: '{}' });
    const entity = { entity_type: 'session', entity_id: session_id };
    await insert('feed_entries', { type: 'session.started', ...entity, data: '{}' });
    await insert('list_totals', { list: 'messages', rows: 1 });
    await insert('list_totals_built', { list: 'messages' });
    await insert('idempotency_records', { scope: 'POST /x', key: 'k', fingerprint: 'f', entity_id: id });
  }
});
afterAll(() => database?.drop());

test('every data table has a `store_id` and row-level security that also binds its owner', async () => {
  const all = await database.adminSql`
    select relname as name, relrowsecurity and relforcerowsecurity as secured
    from pg_class where relnamespace = 'messaging'::regnamespace and relkind = 'r'
      and relname not in ('schema_migrations', 'report_closing', 'provider_circuits', 'delivery_shards')
    order by 1`;
  expect(all).toEqual(tables.map((name) => ({ name, secured: true })));
  expect(tables).toHaveLength(21);
});

test('a request sees and writes only rows of its own store, and none without a store', async () => {
  for (const table of tables) {
    const rowsFor = (store: string | null) =>
      database.as('messaging', store, (sql) => sql`select distinct store_id from ${sql(table)}`);
    expect(await rowsFor(storeId), table).toEqual([{ store_id: storeId }]);
    expect(await rowsFor(null), table).toEqual([]);
  }
  const intruding = database.as(
    'messaging',
    storeId,
    (sql) => sql`insert into conversations (store_id, lead_id) values (${otherId}, ${randomUUID()})`,
  );
  await expect(intruding).rejects.toThrow('row-level security');
  for (const table of ['messages', 'sessions']) {
    const taking = await database.as(
      'messaging',
      storeId,
      (sql) => sql`update ${sql(table)} set status = status where store_id = ${otherId}`,
    );
    expect(taking.count, table).toBe(0);
  }
});

test('a message belongs to a session and a conversation of its own store', async () => {
  const [theirs] = await database.adminSql`select * from messages where store_id = ${otherId}`;
  const { number, created_at, ...rest } = theirs as unknown as { number: string; created_at: Date } & Record<
    string,
    string
  >;
  const crossing = database.adminSql`
    insert into messages ${database.adminSql({ ...rest, store_id: storeId, number: 2, created_at })}`;
  await expect(crossing).rejects.toThrow('violates foreign key constraint');
});

test('report views and the rows of lists are the store’s own, and only the system role sees all facts and writes rollups', async () => {
  for (const view of ['report_facts_with_prices', 'report_facts', 'lead_report_facts']) {
    const rowsFor = (role: string, store: string | null) =>
      database.as(role, store, (sql) => sql`select distinct store_id from ${sql(view)}`);
    expect(await rowsFor('messaging', storeId), view).toEqual([{ store_id: storeId }]);
    expect(await rowsFor('messaging', null), view).toEqual([]);
    expect(await rowsFor('messaging_system', null), view).toHaveLength(2);
  }
  // The previous version fails a report with a metric that it does not know.
  const metricsIn = async (view: string) => {
    const rows = await database.as('messaging_system', null, (sql) => sql`select distinct metric from ${sql(view)}`);
    return rows.map(({ metric }) => metric).toSorted();
  };
  const withPrices = ['amount_service_api', 'billed_service_api', 'sessions_started'];
  expect(await metricsIn('report_facts_with_prices')).toEqual(withPrices);
  expect(await metricsIn('report_facts')).toEqual(['sessions_started']);
  const listed = (role: string, store: string | null) =>
    database.as(role, store, (sql) => sql`select distinct store_id from list_rows`);
  expect(await listed('messaging', storeId)).toEqual([{ store_id: storeId }]);
  expect(await listed('messaging', null)).toEqual([]);
  await expect(listed('messaging_system', null)).rejects.toThrow('permission denied');
  for (const table of ['report_quarters', 'report_closing']) {
    const deleting = database.as('messaging', storeId, (sql) => sql`delete from ${sql(table)}`);
    await expect(deleting, table).rejects.toThrow('permission denied');
  }
});

test('the system role sees ids, states and times of every store, but no content and no credentials', async () => {
  const seen = await database.as('messaging_system', null, (sql) => sql`select store_id from messages`);
  expect(seen).toHaveLength(2);
  for (const [column, table] of [
    ['body', 'messages'],
    ['template', 'messages'],
    ['metadata', 'messages'],
    ['error_detail', 'messages'],
    ['provider_message_id', 'messages'],
    ['wa_id', 'conversations'],
    ['user_id', 'customer_user_ids'],
    ['payload', 'inbound_payloads'],
    ['sealed_credentials', 'channels'],
    ['body', 'sandbox_deliveries'],
    ['callback_data', 'status_reports'],
    ['body', 'message_changes'],
    ['from_wa_id', 'identity_changes'],
    ['phone_key', 'kept_effects'],
    ['components', 'templates'],
  ] as const) {
    const reading = database.as('messaging_system', null, (sql) => sql`select ${sql(column)} from ${sql(table)}`);
    await expect(reading, `${table}.${column}`).rejects.toThrow('permission denied');
  }
  for (const change of ["status = 'sent'", "body = ''"]) {
    const changing = database.as('messaging_system', null, (sql) => sql`update messages set ${sql.unsafe(change)}`);
    await expect(changing, change).rejects.toThrow('permission denied');
  }
});

// `countMessages` relies on it: the numbers of a lead's messages have no gaps.
test('no role deletes a message', async () => {
  for (const role of ['messaging', 'messaging_system']) {
    const deleting = database.as(role, storeId, (sql) => sql`delete from messages`);
    await expect(deleting, role).rejects.toThrow('permission denied');
  }
});

test('an inbound message has no outcome, and an error has a code and a detail', async () => {
  const { adminSql } = database;
  const change = (text: string) => adminSql`update messages set ${adminSql.unsafe(text)} where store_id = ${storeId}`;
  for (const wrong of ["status = 'received'", "direction = 'inbound'", "error_code = '1'", "status = 'lost'"]) {
    await expect(change(wrong), wrong).rejects.toThrow('violates check constraint');
  }
});

test('the tables of the packages equal their canonical text', async () => {
  const { actual, canonical } = await describeKitTables(database, 'messaging', {
    countsLists: true,
    defersAnswers: true,
    callsProviders: true,
    publishesEvents: true,
  });
  expect(actual).toEqual(canonical);
});
