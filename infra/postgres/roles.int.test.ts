import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, onServer, type TestDatabase } from '../../packages/testing/src/servers/database.ts';
import { schemas } from './roles.ts';

const roles = schemas.flatMap((schema) => [
  { role: `${schema}_owner`, schema, serves: false },
  { role: schema, schema, serves: true },
  { role: `${schema}_system`, schema, serves: true },
]);
const serving = roles.filter(({ serves }) => serves);

let database: TestDatabase;
/** Everything with rows, of every schema: a table that a migration adds is among them by itself. */
let tables: { schema: string; name: string }[];

beforeAll(async () => {
  database = await createTestDatabase('crm');
  tables = await database.adminSql`
    select relnamespace::regnamespace::text as schema, relname as name from pg_class
    where relnamespace::regnamespace::text in ${database.adminSql([...schemas])} and relkind in ('r', 'p', 'v', 'm')
    order by 1, 2`;
});
afterAll(() => database?.drop());

/** The codes of what a role that has logged in by itself got for each statement; `none` where it was carried out. */
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

/** All that the catalogue and attempts say is wider than it must be. */
async function faults(): Promise<string[]> {
  const { adminSql } = database;
  const wide = await adminSql`
    select format('%s may use the schema %s', role, nspname) as fault
    from unnest(${roles.map(({ role }) => role)}::text[]) role, pg_namespace
    where nspname in ${adminSql([...schemas])} and has_schema_privilege(role, nspname, 'usage, create')
      and nspname <> regexp_replace(role, '_(owner|system)$', '')
    union all
    select format('%s may create in the schema %s', role, nspname)
    from unnest(${serving.map(({ role }) => role)}::text[]) role, pg_namespace
    where has_schema_privilege(role, nspname, 'create')
    union all
    select format('%s may touch %s.%s', coalesce(grantee.rolname, 'everybody'), nspname, relname)
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace, aclexplode(relacl) as granted
      left join pg_roles grantee on grantee.oid = granted.grantee
    where nspname in ${adminSql([...schemas])}
      and (grantee.rolname is null or grantee.rolname not in (nspname, nspname || '_owner', nspname || '_system'))
    union all
    select format('%s may pass %s.%s on', grantee::regrole, nspname, relname)
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace, aclexplode(relacl)
    where nspname in ${adminSql([...schemas])} and is_grantable
    union all
    select format('%s owns %s', owner.rolname, relname)
    from pg_class join pg_roles owner on owner.oid = relowner
    where owner.rolname in ${adminSql(serving.map(({ role }) => role))}
    union all
    select format('%s.%s is not held by row-level security', nspname, relname)
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in ${adminSql([...schemas])} and relkind in ('r', 'p') and relname <> 'schema_migrations'
      and not (relrowsecurity and relforcerowsecurity)
    union all
    select format('the policy %s on %s.%s lets %s see every store', policyname, schemaname, tablename, roles)
    from pg_policies
    where schemaname in ${adminSql([...schemas])}
      -- It is of no store: until when the reports of all of them are closed, which only the system role may change.
      and (tablename, policyname, cmd) <> ('report_closing', 'reading', 'SELECT')
      and not roles <@ array[schemaname || '_system', schemaname || '_owner']::name[]
      and (qual is null or qual not like '%mostrador.store_id%')
      and coalesce(with_check, '') not like '%mostrador.store_id%'`;
  return wide.map(({ fault }) => fault as string).sort();
}

test('the tables come from the catalogue, and every schema has some', () => {
  expect([...new Set(tables.map(({ schema }) => schema))].sort()).toEqual([...schemas].sort());
});

describe("a service's roles in PostgreSQL", () => {
  test('hold no grant, property or policy that is wider than their own schema and the store asked for', async () => {
    expect(await faults()).toEqual([]);
  });

  test.each([
    ['usage of another schema', 'grant usage on schema crm to scheduling'],
    ["another service's table", 'grant select on crm.leads to messaging'],
    ['a table for everybody', 'grant select on crm.leads to public'],
    ['one column of another', 'grant usage on schema gateway to crm_system'],
    ['a right to pass on', 'grant select on crm.leads to crm with grant option'],
    ['making tables', 'grant create on schema crm to crm'],
    ['making tables in public', 'grant create on schema public to public'],
    ['owning a table', 'alter table messaging.channels owner to messaging'],
    ['a table without row-level security', 'alter table crm.leads disable row level security'],
    ['a table whose owner passes it', 'alter table crm.leads no force row level security'],
    ['a policy for every store', 'create policy wide on crm.leads to crm using (true)'],
    ['a policy for everybody', 'create policy wide on crm.leads using (true)'],
    ['a new table that forgot all of it', 'create table scheduling.forgotten (id uuid)'],
  ])('the check of it notices %s', async (_what, widening) => {
    const undo = new Error('undo');
    const noticed = database.adminSql.begin(async (sql) => {
      await sql.unsafe(widening);
      const kept = database;
      database = { ...kept, adminSql: sql as unknown as TestDatabase['adminSql'] };
      const found = await faults().finally(() => {
        database = kept;
      });
      throw Object.assign(undo, { found });
    });
    await expect(noticed).rejects.toBe(undo);
    expect((undo as Error & { found?: string[] }).found).not.toEqual([]);
  });

  test.each(roles)("$role reads and changes nothing of another service's", async ({ role, schema }) => {
    const others = tables.filter((table) => table.schema !== schema);
    const statements = others.flatMap(({ schema: of, name }) => [
      `select 1 from ${of}.${name} limit 1`,
      `delete from ${of}.${name}`,
    ]);
    statements.push(...schemas.filter((of) => of !== schema).map((of) => `create table ${of}.intruder (id int)`));
    expect([...new Set(await codesFor(role, statements))]).toEqual([insufficientPrivilege]);
  });

  test.each(serving)('$role cannot switch row-level security off, for no table', async ({ role, schema }) => {
    const own = tables.filter((table) => table.schema === schema);
    const statements = own.flatMap(({ name }) => [
      `set local row_security = off; select 1 from ${schema}.${name} limit 1`,
      `alter table ${schema}.${name} disable row level security`,
      `alter table ${schema}.${name} no force row level security`,
      `create policy mine on ${schema}.${name} using (true)`,
    ]);
    const codes = await codesFor(role, statements);
    // Where a policy lets the role see all rows there is nothing to pass by, which is the system role's way.
    const passed = statements.filter((_, index) => codes[index] !== insufficientPrivilege);
    expect(passed).toEqual([]);
  });

  test.each(roles)('$role becomes nobody else, makes no role and no database, and is nobody more', async ({ role }) => {
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

  test.each(serving)('$role makes nothing, in its own schema or elsewhere', async ({ role, schema }) => {
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

  test.each(roles)('$role has no temporary tables in the database that was set up for it', async ({ role }) => {
    const template = process.env.TEST_TEMPLATE_DATABASE as string;
    const [may] =
      await database.adminSql`select has_database_privilege(${role}, ${template}, 'temporary, create') as more`;
    expect(may).toEqual({ more: false });
  });
});

const insufficientPrivilege = '42501';
