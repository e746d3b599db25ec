import type { Sql } from 'postgres';

/** Each service that keeps data has a schema of its name and three roles. */
export const schemas = ['gateway', 'crm', 'scheduling', 'messaging'] as const;

/** Contributed modules of PostgreSQL that migrations use. */
const extensions = { schema: 'extensions', names: ['btree_gin', 'pg_trgm'] } as const;

/**
 * Creates each service's roles and its schema in one database, or brings them to this state: `<s>_owner` owns the schema
 * and runs migrations, `<s>` is what requests run as, `<s>_system` serves the relay and the sweeps. The last two own
 * nothing, make nothing and cannot pass row-level security; what they may touch is granted by migrations. One service's
 * roles see nothing of another's schema. The extensions come from here too, as only an administrator may create them.
 *
 * @param adminSql an administrator's connection to `database`
 */
export async function createRoles(adminSql: Sql, options: { database: string; password: string }): Promise<void> {
  // Roles belong to the whole server: two databases that are set up at once would meet here.
  await adminSql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtext('mostrador roles'))`;
    const statements = schemas.flatMap((schema) => [
      ...[`${schema}_owner`, schema, `${schema}_system`].flatMap((role) => roleStatements(role, schema, options)),
      `create schema if not exists ${schema} authorization ${schema}_owner`,
      `grant usage on schema ${schema} to ${schema}, ${schema}_system`,
    ]);
    const notForAll = `revoke temporary on database ${quotedName(options.database)} from public`;
    await sql.unsafe([...statements, notForAll, ...extensionStatements()].join(';\n'));
  });
}

/** Creates the database when there is none of that name. */
export async function createDatabase(adminSql: Sql, name: string): Promise<void> {
  const [found] = await adminSql`select 1 from pg_database where datname = ${name}`;
  if (!found) await adminSql`create database ${adminSql(name)}`;
}

function extensionStatements(): string[] {
  return [
    `create schema if not exists ${extensions.schema}`,
    ...schemas.map((schema) => `grant usage on schema ${extensions.schema} to ${schema}_owner, ${schema}`),
    // An extension that somebody made before is moved to where the migrations look for it.
    ...extensions.names.flatMap((name) => [
      `create extension if not exists ${name} with schema ${extensions.schema}`,
      `alter extension ${name} set schema ${extensions.schema}`,
    ]),
  ];
}

function roleStatements(
  role: string,
  schema: string,
  { database, password }: { database: string; password: string },
): string[] {
  const secret = `'${password.replaceAll("'", "''")}'`;
  return [
    `do $$ begin
       if not exists (select from pg_roles where rolname = '${role}') then create role ${role}; end if;
     end $$`,
    `alter role ${role} login nosuperuser nocreatedb nocreaterole nobypassrls password ${secret}`,
    `alter role ${role} in database ${quotedName(database)} set search_path = ${schema}`,
    // For databases cloned from this one, which do not inherit the setting above.
    `alter role ${role} set search_path = ${schema}`,
  ];
}

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
