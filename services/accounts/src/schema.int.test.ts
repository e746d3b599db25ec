import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { describeKitTables } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase('accounts');
});
afterAll(() => database?.drop());

test('every table has row-level security that binds its owner too', async () => {
  const tables = await database.adminSql`
    select relname as name, relrowsecurity and relforcerowsecurity as secured
    from pg_class where relnamespace = 'accounts'::regnamespace and relkind in ('r', 'p')
      and relname <> 'schema_migrations' order by 1`;
  expect(tables).toEqual(tables.map(({ name }) => ({ name, secured: true })));
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['api_keys', 'stores', 'sessions', 'users']));
});

test('the tables of the kit match their canonical text', async () => {
  const { actual, canonical } = await describeKitTables(database, 'accounts', { hasReports: false });
  expect(actual).toEqual(canonical);
});
