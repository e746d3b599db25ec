import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseUsers, rolesOf, schemas } from '../../packages/platform/src/servers.ts';
import { createTestDatabase, onServer, type TestDatabase } from '../../packages/testing/src/servers/database.ts';
import { findExcessiveRights, findMissingRights, readsOfTheGateway } from './rights.ts';

const roles = databaseUsers.flatMap((user) =>
  rolesOf(user).map((role) => ({ role, schema: user as string, serves: !role.endsWith('_owner') })),
);
const serving = roles.filter(({ serves }) => serves);

/** What one service reads of another: the gateway checks keys itself. Repeated by hand: the code has a list of its own. */
const readByTheGateway: Record<string, Record<string, readonly string[]>> = {
  gateway_system: {
    api_keys: ['expires_at', 'id', 'key_hash', 'revoked_at', 'scopes', 'store_id', 'updated_at'],
    deleted_api_keys: ['deleted_at', 'id'],
    stores: ['country', 'created_at', 'id', 'locale', 'name', 'rate_limit', 'tier', 'timezone', 'updated_at'],
  },
};
const mayRead = (role: string, schema: string, table: string): boolean =>
  schema === 'accounts' && readByTheGateway[role]?.[table] !== undefined;

let database: TestDatabase;
/** All relations with rows, of every schema. They come from the catalogue, so that new tables are included. */
let tables: { schema: string; name: string }[];

beforeAll(async () => {
  database = await createTestDatabase('crm');
  tables = await database.adminSql`
    select relnamespace::regnamespace::text as schema, relname as name from pg_class
    where relnamespace::regnamespace::text in ${database.adminSql([...schemas])} and relkind in ('r', 'p', 'v', 'm')
    order by 1, 2`;
});
afterAll(() => database?.drop());

/** Logs in as a role and returns the error code of each statement, or `none` where it succeeded. */
async function codesFor(role: string, statements: readonly string[]): Promise<string[]> {
  const url = new URL(database.url);
  url.username = role;
  const codes: string[] = [];
  await onServer(url.href, async (sql) => {
    for (const statement of statements) {
      const code = await sql
        .begin(async (transaction) => {
          await transaction.unsafe(statement);
          throw Object.assign(new Error('undo'), { code: 'none' });
        })
        .catch((error: { code?: string; message: string }) => error.code ?? error.message);
      codes.push(code as string);
    }
  });
  return codes;
}

/** What a check finds after a statement, which is then undone. */
async function foundAfter(statement: string, find: typeof findMissingRights): Promise<string[]> {
  let found: string[] = [];
  const undo = new Error('undo');
  const done = database.adminSql.begin(async (sql) => {
    await sql.unsafe(statement);
    found = await find(sql);
    throw undo;
  });
  await expect(done).rejects.toBe(undo);
  return found;
}

const faults = () => findExcessiveRights(database.adminSql);

test('the tables come from the catalogue, and every schema has some', () => {
  expect([...new Set(tables.map(({ schema }) => schema))].sort()).toEqual([...schemas].sort());
});

describe("a service's roles in PostgreSQL", () => {
  test('have no grant, property or policy beyond their own schema and the store of the request', async () => {
    expect(await faults()).toEqual([]);
  });

  test('have every right that they need', async () => {
    expect(await findMissingRights(database.adminSql)).toEqual([]);
    expect(readByTheGateway.gateway_system).toEqual(
      Object.fromEntries(Object.entries(readsOfTheGateway).map(([table, columns]) => [table, columns.toSorted()])),
    );
  });

  test.each([
    ['usage of the own schema', 'revoke usage on schema crm from crm'],
    ['usage of the extensions', 'revoke usage on schema extensions from messaging'],
    ['the search path', 'alter role events_system reset search_path'],
    ['an extension', 'drop extension btree_gin cascade'],
    ['a column of the gateway', 'revoke select (key_hash) on accounts.api_keys from gateway_system'],
    ['a schema', 'drop schema events cascade'],
    ['the owner of a schema', 'alter schema crm owner to postgres'],
    ['the login', 'alter role crm nologin'],
  ])('the check notices without %s', async (_what, narrowing) => {
    expect(await foundAfter(narrowing, findMissingRights)).not.toEqual([]);
  });

  test.each([
    ['usage of another schema', 'grant usage on schema crm to scheduling'],
    ["another service's table", 'grant select on crm.leads to messaging'],
    ['a table for all roles', 'grant select on crm.leads to public'],
    ['usage of another schema for a system role', 'grant usage on schema events to crm_system'],
    ['a further column of a table that it reads', 'grant select (name) on accounts.api_keys to gateway_system'],
    ['a column that it may change', 'grant update (last_used_at) on accounts.api_keys to gateway_system'],
    ['a further table for the gateway', 'grant select on accounts.outbox to gateway_system'],
    ['a grant option', 'grant select on crm.leads to crm with grant option'],
    ['the right to create tables', 'grant create on schema crm to crm'],
    ['the right to create tables in public', 'grant create on schema public to public'],
    ['owning a table', 'alter table messaging.channels owner to messaging'],
    ['a table without row-level security', 'alter table crm.leads disable row level security'],
    ['a table whose owner bypasses row-level security', 'alter table crm.leads no force row level security'],
    ['a policy for every store', 'create policy wide on crm.leads to crm using (true)'],
    ['a policy for all roles', 'create policy wide on crm.leads using (true)'],
    ['a new table without any protection', 'create table scheduling.forgotten (id uuid)'],
  ])('the check notices %s', async (_what, widening) => {
    expect(await foundAfter(widening, findExcessiveRights)).not.toEqual([]);
  });

  test.each(roles)('$role cannot read or change data of another service', async ({ role, schema }) => {
    const others = tables.filter((table) => table.schema !== schema);
    const statements = others.flatMap(({ schema: of, name }) => [
      ...(mayRead(role, of, name) ? [] : [`select 1 from ${of}.${name} limit 1`]),
      `insert into ${of}.${name} default values`,
      `delete from ${of}.${name}`,
    ]);
    statements.push(...schemas.filter((of) => of !== schema).map((of) => `create table ${of}.intruder (id int)`));
    expect([...new Set(await codesFor(role, statements))]).toEqual([insufficientPrivilege]);
  });

  test.each(serving)('$role cannot switch off row-level security for any table', async ({ role, schema }) => {
    const own = tables.filter((table) => table.schema === schema);
    const ofStores = own.filter(({ name }) => name !== 'schema_migrations');
    const statements = own.flatMap(({ name }) => [
      `alter table ${schema}.${name} disable row level security`,
      `alter table ${schema}.${name} no force row level security`,
      `create policy mine on ${schema}.${name} using (true)`,
    ]);
    for (const { name } of ofStores) {
      statements.push(`set local row_security = off; select 1 from ${schema}.${name} limit 1`);
    }
    const codes = await codesFor(role, statements);
    const passed = statements.filter((_, index) => codes[index] !== insufficientPrivilege);
    expect(passed).toEqual([]);
  });

  test.each(roles)('$role cannot become another role or use the rights of an administrator', async ({ role }) => {
    const others = [...roles.filter((other) => other.role !== role).map((other) => other.role), 'postgres'];
    const codes = await codesFor(role, [
      ...others.flatMap((other) => [`set role ${other}`, `set session authorization ${other}`]),
      'create role intruder',
      `alter role ${role} bypassrls`,
      'create schema intruder',
      'create extension dblink',
      "copy (select 1) to program 'true'",
      "select pg_read_file('/etc/hostname')",
      'select pg_reload_conf()',
    ]);
    expect([...new Set(codes)]).toEqual([insufficientPrivilege]);
    const [made] = await database.adminSql`
      select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication
        or exists (select from pg_auth_members where member = pg_roles.oid) as more
      from pg_roles where rolname = ${role}`;
    expect(made).toEqual({ more: false });
  });

  test.each(serving)('$role cannot create objects in its own schema or in public', async ({ role, schema: of }) => {
    const schema = of === 'gateway' ? 'accounts' : of;
    const codes = await codesFor(role, [
      `create table ${schema}.mine (id int)`,
      'create table public.mine (id int)',
      `create view ${schema}.mine as select 1`,
      `create function ${schema}.mine() returns int language sql as 'select 1'`,
      `create sequence ${schema}.mine`,
      `create type ${schema}.mine as enum ('a')`,
    ]);
    expect([...new Set(codes)]).toEqual([insufficientPrivilege]);
  });

  test.each(roles)('$role cannot create temporary tables or schemas in its database', async ({ role }) => {
    const template = process.env.TEST_TEMPLATE_DATABASE as string;
    const [may] =
      await database.adminSql`select has_database_privilege(${role}, ${template}, 'temporary, create') as more`;
    expect(may).toEqual({ more: false });
  });
});

const insufficientPrivilege = '42501';
