import type { Sql } from 'postgres';
import {
  databaseUsers,
  extensions,
  ownerRoleOf,
  rolesOf,
  schemaOf,
  schemas,
} from '../../packages/platform/src/servers.ts';
import { scramVerifier } from './scram.ts';

export type RoleOptions = {
  readonly database: string;
  /** For roles that do not exist yet: one for all, or one for each. Printable ASCII. */
  readonly password: string | ((role: string) => string);
  /**
   * The roles that exist and get the password, too; true: all. Default: none, so each keeps the password that it has, or
   * has not.
   */
  readonly resetPasswords?: boolean | readonly string[];
};

export const allRoles: readonly string[] = databaseUsers.flatMap(rolesOf);

/**
 * Creates or updates the roles and the schema of each service in one database. `<s>_owner` owns the schema and runs
 * migrations. Requests run as `<s>`, the relay and the sweeps as `<s>_system`. These two own nothing, create nothing
 * and cannot bypass row-level security. Migrations grant what they may access. A service's roles cannot access another
 * schema, except that the gateway, which has no schema and no requests of its own, reads what it needs to check a key and
 * to show a store. The extensions are created here too, because only an administrator may create them. It can be
 * repeated: everything but the passwords is made right.
 *
 * @param adminSql a connection to `database` of a superuser, or of the owner of the database with CREATEROLE
 * @returns the roles that did not exist before
 */
export async function createRoles(adminSql: Sql, options: RoleOptions): Promise<string[]> {
  // Roles belong to the whole server, so the setups of two databases would conflict here.
  return adminSql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtext('mostrador roles'))`;
    const present = new Map((await sql<Role[]>`select * from pg_roles`).map((role) => [role.rolname, role]));
    const roleStatements = databaseUsers.flatMap((user) => {
      return rolesOf(user).flatMap((role) =>
        statementsOfRole({ role, schema: schemaOf(user), found: present.get(role) }, options),
      );
    });
    await sql.unsafe(roleStatements.join(';\n'));

    // A superuser is a member of every role. Another administrator administers the roles that it created.
    const owners = schemas.map(ownerRoleOf);
    const foreign = await sql<{ rolname: string }[]>`
      select rolname from pg_roles where rolname in ${sql(owners)} and not pg_has_role(oid, 'set')`;
    const misplaced = await sql<{ extname: string }[]>`
      select extname from pg_extension
      where extname in ${sql([...extensions.names])} and extnamespace::regnamespace::text <> ${extensions.schema}`;
    await sql.unsafe(
      [
        ...foreign.map(({ rolname }) => `grant ${rolname} to current_user with inherit false, set true`),
        ...schemas.flatMap((schema) => [
          `create schema if not exists ${schema} authorization ${ownerRoleOf(schema)}`,
          `set local role ${ownerRoleOf(schema)}`,
          `grant usage on schema ${schema} to ${schema}, ${schema}_system`,
          'reset role',
        ]),
        `revoke temporary on database ${quotedName(options.database)} from public`,
        `create schema if not exists ${extensions.schema}`,
        ...schemas.map((schema) => `grant usage on schema ${extensions.schema} to ${ownerRoleOf(schema)}, ${schema}`),
        ...extensions.names.map((name) => `create extension if not exists ${name} with schema ${extensions.schema}`),
        // Moves an existing extension to the schema in which the migrations expect it.
        ...misplaced.map(({ extname }) => `alter extension ${extname} set schema ${extensions.schema}`),
      ].join(';\n'),
    );
    return allRoles.filter((role) => !present.has(role));
  });
}

/** Creates the database when there is none of that name. Returns whether it did. */
export async function createDatabase(adminSql: Sql, name: string): Promise<boolean> {
  const [found] = await adminSql`select 1 from pg_database where datname = ${name}`;
  if (!found) await adminSql`create database ${adminSql(name)}`;
  return !found;
}

/** A row of pg_roles. */
type Role = { readonly rolname: string } & { readonly [Attribute in keyof typeof attributes]: boolean };

/** What a role must be. Only an administrator who has an attribute may set it, so no statement repeats what is right. */
const attributes = {
  rolcanlogin: [true, 'login'],
  rolsuper: [false, 'nosuperuser'],
  rolcreatedb: [false, 'nocreatedb'],
  rolcreaterole: [false, 'nocreaterole'],
  rolbypassrls: [false, 'nobypassrls'],
} as const;

function statementsOfRole(
  { role, schema, found }: { role: string; schema: string; found: Role | undefined },
  { database, password, resetPasswords = false }: RoleOptions,
): string[] {
  const resets = typeof resetPasswords === 'boolean' ? resetPasswords : resetPasswords.includes(role);
  const verifier = () => scramVerifier(typeof password === 'string' ? password : password(role));
  const wrong = Object.entries(attributes)
    .filter(([name, [right]]) => found && found[name as keyof typeof attributes] !== right)
    .map(([, [, word]]) => word);
  return [
    ...(found ? [] : [`create role ${role} login`]),
    ...(wrong.length > 0 ? [`alter role ${role} ${wrong.join(' ')}`] : []),
    ...(!found || resets ? [`alter role ${role} password '${verifier()}'`] : []),
    `alter role ${role} in database ${quotedName(database)} set search_path = ${schema}`,
    // For databases cloned from this one, which do not inherit the setting above.
    `alter role ${role} set search_path = ${schema}`,
  ];
}

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
