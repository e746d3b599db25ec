import type { Sql } from 'postgres';
import { databaseUsers, extensions, rolesOf, schemaOf, schemas } from '../../packages/platform/src/servers.ts';

export type RoleOptions = {
  readonly database: string;
  /** For roles that do not exist yet. */
  readonly password: string;
  /** True: roles that exist get the password, too. Default false: each keeps the password that it has, or has not. */
  readonly resetPasswords?: boolean;
};

/**
 * Creates or updates the roles and the schema of each service in one database. `<s>_owner` owns the schema and runs
 * migrations. Requests run as `<s>`, the relay and the sweeps as `<s>_system`. These two own nothing, create nothing
 * and cannot bypass row-level security. Migrations grant what they may access. A service's roles cannot access another
 * schema, except that the gateway, which has no schema and no requests of its own, reads what it needs to check a key and
 * to show a store. The extensions are created here too, because only an administrator may create them. It can be
 * repeated: everything but the passwords is made right.
 *
 * @param adminSql an administrator's connection to `database`
 */
export async function createRoles(adminSql: Sql, options: RoleOptions): Promise<void> {
  // Roles belong to the whole server, so the setups of two databases would conflict here.
  await adminSql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtext('mostrador roles'))`;
    const present = new Set((await sql`select rolname from pg_roles`).map(({ rolname }) => rolname as string));
    const statements = databaseUsers.flatMap((user) => {
      const schema = schemaOf(user);
      return rolesOf(user).flatMap((role) => roleStatements({ role, schema, isNew: !present.has(role) }, options));
    });
    const schemaStatements = schemas.flatMap((schema) => [
      `create schema if not exists ${schema} authorization ${schema}_owner`,
      `grant usage on schema ${schema} to ${schema}, ${schema}_system`,
    ]);
    const notForAll = `revoke temporary on database ${quotedName(options.database)} from public`;
    await sql.unsafe([...statements, ...schemaStatements, notForAll, ...extensionStatements()].join(';\n'));
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
    // Moves an existing extension to the schema in which the migrations expect it.
    ...extensions.names.flatMap((name) => [
      `create extension if not exists ${name} with schema ${extensions.schema}`,
      `alter extension ${name} set schema ${extensions.schema}`,
    ]),
  ];
}

function roleStatements(
  { role, schema, isNew }: { role: string; schema: string; isNew: boolean },
  { database, password, resetPasswords = false }: RoleOptions,
): string[] {
  const secret = `password '${password.replaceAll("'", "''")}'`;
  return [
    ...(isNew ? [`create role ${role}`] : []),
    `alter role ${role} login nosuperuser nocreatedb nocreaterole nobypassrls ${isNew || resetPasswords ? secret : ''}`,
    `alter role ${role} in database ${quotedName(database)} set search_path = ${schema}`,
    // For databases cloned from this one, which do not inherit the setting above.
    `alter role ${role} set search_path = ${schema}`,
  ];
}

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
