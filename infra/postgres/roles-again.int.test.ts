import { roleUrl } from '@mostrador/local-platform/servers/role-passwords';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { schemas } from '../../packages/platform/src/servers.ts';
import { type OwnPostgres, startOwnPostgres } from '../../packages/testing/src/servers/own-postgres.ts';
import { createDatabase, createRoles, allRoles as roles } from './roles.ts';

// Passwords belong to the whole server, so these tests have one of their own.
let server: OwnPostgres;
let sql: postgres.Sql;

beforeAll(async () => {
  server = await startOwnPostgres();
  sql = postgres(server.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql?.end();
  await server?.stop();
});

const database = 'postgres';

async function loginOf(role: string, password: string): Promise<string> {
  const login = postgres(roleUrl(server.url, role, password), { max: 1, onnotice: () => {} });
  try {
    await login`select 1`;
    return 'accepted';
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await login.end();
  }
}
const loginsOf = async (password: string) =>
  Object.fromEntries(await Promise.all(roles.map(async (role) => [role, await loginOf(role, password)] as const)));
const each = (outcome: string) => Object.fromEntries(roles.map((role) => [role, outcome]));

describe('creating the roles again', () => {
  beforeEach(async () => {
    await createRoles(sql, { database, password: 'first', resetPasswords: true });
  });

  test('keeps the password of every role that exists', async () => {
    for (const role of roles) await sql.unsafe(`alter role ${role} password 'own-of-${role}'`);
    await createRoles(sql, { database, password: 'second' });
    for (const role of roles) expect([role, await loginOf(role, `own-of-${role}`)]).toEqual([role, 'accepted']);
    expect(await loginsOf('second')).toEqual(each('28P01'));
  });

  test('gives no password to a role whose password an operator removed', async () => {
    await sql`alter role crm_owner password null`;
    await createRoles(sql, { database, password: 'second' });
    expect(await sql`select rolpassword from pg_authid where rolname = 'crm_owner'`).toEqual([{ rolpassword: null }]);
  });

  test('gives a role that is new the password, whatever the text', async () => {
    const password = `it's $$ a "password" $create$ \\ %I`;
    await sql`drop owned by events_system`;
    await sql`drop role events_system`;
    await createRoles(sql, { database, password });
    expect(await loginsOf(password)).toEqual({ ...each('28P01'), events_system: 'accepted' });
  });

  test("gives each new role its own password, and none that stands in the server's log", async () => {
    for (const role of ['events_system', 'crm']) await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
    const said: string[] = [];
    const watched = postgres(server.url, { max: 1, onnotice: () => {}, debug: (_, query) => void said.push(query) });
    const created = await createRoles(watched, { database, password: (role) => `of ${role}` });
    await watched.end();
    expect(created).toEqual(['crm', 'events_system']);
    expect([await loginOf('crm', 'of crm'), await loginOf('events_system', 'of events_system')]).toEqual([
      'accepted',
      'accepted',
    ]);
    expect(await loginOf('crm', 'of events_system')).toBe('28P01');
    expect(said.join('\n')).toContain('alter role crm password');
    expect(said.filter((text) => /of (crm|events_system)'/.test(text))).toEqual([]);
  });

  test('resets the passwords of the named roles only', async () => {
    await createRoles(sql, { database, password: 'second', resetPasswords: ['crm_owner'] });
    expect(await loginsOf('second')).toEqual({ ...each('28P01'), crm_owner: 'accepted' });
  });

  test('makes everything else right', async () => {
    const rights = () => sql`
      select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolcanlogin, rolconfig,
        has_schema_privilege('crm', 'crm', 'usage') as may_use
      from pg_roles where rolname = 'crm'`;
    const before = await rights();
    await sql`alter role crm nologin superuser createrole createdb bypassrls`;
    await sql`alter role crm set search_path = public`;
    await sql`revoke usage on schema crm from crm`;
    await createRoles(sql, { database, password: 'second' });
    expect(await rights()).toEqual(before);
    expect(await loginOf('crm', 'first')).toBe('accepted');
  });

  test('sets the password of every role when asked to', async () => {
    await createRoles(sql, { database, password: 'second', resetPasswords: true });
    expect(await loginsOf('second')).toEqual(each('accepted'));
  });
});

test('an administrator who is no superuser creates the database, the roles and the schemas, and repeats it', async () => {
  const own = await startOwnPostgres();
  const asAdministrator = (database: string) => {
    const url = new URL(roleUrl(own.url, 'deployer', 'first'));
    url.pathname = `/${database}`;
    return postgres(url.href, { max: 1, onnotice: () => {} });
  };
  try {
    const superuser = postgres(own.url, { max: 1, onnotice: () => {} });
    await superuser`create role deployer login createdb createrole password 'first'`;
    await superuser.end();
    const outside = asAdministrator('postgres');
    expect(await createDatabase(outside, 'shop')).toBe(true);
    expect(await createDatabase(outside, 'shop')).toBe(false);
    await outside.end();
    const inside = asAdministrator('shop');
    const options = { database: 'shop', password: (role: string) => `of ${role}` };
    expect(await createRoles(inside, options)).toEqual(roles);
    expect(await createRoles(inside, options)).toEqual([]);
    const owners = await inside`
      select nspname, nspowner::regrole::text as owner from pg_namespace where nspname in ${inside([...schemas])}`;
    expect(owners.every(({ nspname, owner }) => owner === `${nspname}_owner`)).toBe(true);
    expect(owners).toHaveLength(schemas.length);
    await inside.end();
  } finally {
    await own.stop();
  }
});
