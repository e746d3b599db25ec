import { readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { schemas } from '../../../platform/src/servers.ts';
import { createTestDatabase, onServer, type TestDatabase, testServerUrl } from './database.ts';

/** The service whose roles the kit's own tests use. */
const service = 'messaging';
const template = 'mostrador_kit_template';

/** A database whose only schema of a service has the kit's tables and `notes`, a plain table with a `store_id`. */
export async function createKitDatabase(): Promise<TestDatabase> {
  await onServer(testServerUrl(), async (sql) => {
    // The first that needs it makes the template, and it gets its name when it is complete.
    await sql`select pg_advisory_lock(hashtext(${template}))`;
    const made = await sql`select from pg_database where datname = ${template}`;
    if (made.length > 0) return;
    const making = await createTestDatabase(service);
    const name = new URL(making.url).pathname.slice(1);
    await makeKitTables(making);
    await making.close();
    await sql`alter database ${sql(name)} rename to ${sql(template)}`;
  });
  return await createTestDatabase(service, template);
}

async function makeKitTables(test: TestDatabase): Promise<void> {
  for (const schema of schemas) await test.adminSql.unsafe(`drop schema ${schema} cascade`);
  await test.adminSql.unsafe(`
    create schema ${service} authorization ${service}_owner;
    grant usage on schema ${service} to ${service}, ${service}_system`);
  const owner = postgres(test.ownerUrl, { max: 1, onnotice: () => {} });
  for (const name of ['outbox', 'feed-entries', 'idempotency', 'provider-circuits', 'list-totals'] as const) {
    await owner.unsafe(await tableText(name));
  }
  await owner.unsafe(`
    create table notes (store_id uuid not null, id uuid primary key default uuidv7(), text text not null, unique (store_id, text));
    alter table notes enable row level security;
    alter table notes force row level security;
    create policy store on notes to ${service}
      using (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid))
      with check (store_id = (select nullif(current_setting('mostrador.store_id', true), '')::uuid));
    grant select, insert, update, delete on notes to ${service}`);
  await owner.end();
}

/** The package that holds the canonical text of each table. */
const owners = {
  outbox: 'kit',
  'feed-entries': 'kit',
  idempotency: 'kit',
  'provider-circuits': 'kit',
  'list-totals': 'totals',
  rollups: 'rollups',
} as const;
type CanonicalText = keyof typeof owners;

/** The canonical SQL of one group of tables, with grants for the roles of a service. */
export async function tableText(name: CanonicalText, role: string = service): Promise<string> {
  const text = await readFile(new URL(`../../../${owners[name]}/sql/${name}.sql`, import.meta.url), 'utf8');
  return text.replaceAll(/\bto service(_system|_owner)?\b/g, `to ${role}$1`);
}

/**
 * Describes the tables that a service's migrations copy from the packages, and the same tables created from the
 * canonical SQL. A description has columns, constraints, indexes, policies, grants and storage settings. The two must
 * be equal. `defersAnswers`: the service uses `withDeferredIdempotency`, which needs one more column. `callsProviders`:
 * the service uses `createProviderCircuit`. `publishesEvents`: the service has events for the public feed.
 * `countsLists`: the service uses `createListTotals`.
 */
export async function describeKitTables(
  { adminSql }: TestDatabase,
  name: string,
  {
    defersAnswers = false,
    hasReports = true,
    callsProviders = false,
    publishesEvents = false,
    countsLists = false,
  }: {
    defersAnswers?: boolean;
    hasReports?: boolean;
    callsProviders?: boolean;
    publishesEvents?: boolean;
    countsLists?: boolean;
  } = {},
): Promise<{ actual: unknown; canonical: unknown }> {
  const tables = [
    ...['outbox', 'idempotency_records'],
    ...(hasReports ? ['report_quarters', 'report_closing'] : []),
    ...(callsProviders ? ['provider_circuits'] : []),
    ...(publishesEvents ? ['feed_entries'] : []),
    ...(countsLists ? ['list_totals', 'list_total_changes', 'list_totals_built'] : []),
  ];
  const texts: CanonicalText[] = [
    ...(['outbox', 'idempotency'] as const),
    ...(hasReports ? (['rollups'] as const) : []),
    ...(callsProviders ? (['provider-circuits'] as const) : []),
    ...(publishesEvents ? (['feed-entries'] as const) : []),
    ...(countsLists ? (['list-totals'] as const) : []),
  ];
  const describe = (schema: string) => Promise.all(tables.map((table) => describeTable(adminSql, schema, table)));
  await adminSql.begin(async (sql) => {
    await sql.unsafe('create schema canonical');
    await sql.unsafe('set local search_path = canonical');
    for (const text of texts) await sql.unsafe(await tableText(text, name));
    if (defersAnswers) return;
    await sql.unsafe('alter table idempotency_records drop column entity_id, alter column reply set not null');
  });
  return { actual: await describe(name), canonical: await describe('canonical') };
}

async function describeTable(sql: postgres.Sql, schema: string, table: string): Promise<unknown> {
  const [description] = await sql`
    with described as (
      select oid, relrowsecurity, relforcerowsecurity, reloptions, relacl, relowner from pg_class
      where relname = ${table} and relnamespace = ${schema}::regnamespace)
    select ${table} as table, relrowsecurity, relforcerowsecurity, reloptions,
      (select json_agg(json_build_array(attname, format_type(atttypid, atttypmod), attnotnull,
          pg_get_expr(adbin, adrelid), attidentity) order by attname)
       from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where attrelid = described.oid and attnum > 0 and not attisdropped) as columns,
      (select json_agg(json_build_array(conname, pg_get_constraintdef(pg_constraint.oid)) order by conname)
       from pg_constraint where conrelid = described.oid and contype <> 'n') as constraints,
      (select json_agg(replace(pg_get_indexdef(indexrelid), ${`${schema}.`}::text, '') order by indexrelid::regclass::text)
       from pg_index where indrelid = described.oid) as indexes,
      (select json_agg(json_build_array(polname, polcmd, polroles::regrole[]::text, pg_get_expr(polqual, polrelid),
          pg_get_expr(polwithcheck, polrelid)) order by polname)
       from pg_policy where polrelid = described.oid) as policies,
      (select json_agg(json_build_array(grantee::regrole::text, privilege_type) order by 1, grantee::regrole::text, privilege_type)
       from aclexplode(relacl) where grantee <> relowner) as grants
    from described`;
  if (!description?.columns) throw new Error(`there is no table ${schema}.${table}`);
  return description;
}
