import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../packages/kit/src/database/migrate.ts';
import { onServer } from '../../packages/testing/src/servers/database.ts';
import { migrateSchemas, migrateService } from '../local/migrations.ts';
import { root } from '../local/paths.ts';
import { createRoles } from './roles.ts';

// The upgrade from the version in which the gateway owned stores and keys, with its data, on a database of its own.

const log = { info: () => {} };
const serverUrl = process.env.TEST_POSTGRES_URL as string;
const password = decodeURIComponent(new URL(serverUrl).password);
const storeId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';
const hash = Buffer.alloc(32, 1);
let name: string;
let folder: string;
let sql: postgres.Sql;
let number = 0;

const urlOf = (role: string) => Object.assign(new URL(serverUrl), { username: role, pathname: `/${name}` }).href;
const ownerUrl = (schema: string) => urlOf(`${schema}_owner`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mostrador-previous-'));
  const present = join(root, 'services/gateway/migrations');
  const previous = (await readdir(present)).filter((file) => file < '0005');
  await Promise.all(previous.map((file) => symlink(join(present, file), join(folder, file))));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await drop();
});

const drop = async () => {
  await sql?.end();
  if (name) await onServer(serverUrl, (server) => server`drop database if exists ${server(name)} with (force)`);
};

/** A database as the previous version left it: a store, two keys and a deleted one. */
beforeEach(async () => {
  await drop();
  number += 1;
  name = `test_take_over_${process.pid}_${number}`;
  await onServer(serverUrl, (server) => server`create database ${server(name)}`);
  sql = postgres(urlOf('postgres'), { max: 2, onnotice: () => {} });
  await createRoles(sql, { database: name, password });
  await migrate({ url: ownerUrl('gateway'), schema: 'gateway', directory: folder, log });
  await sql`
    insert into gateway.stores (id, name, tier, timezone, locale, country) values (${storeId}, 'A', 'pro', 'UTC', 'en', 'BR')`;
  for (const id of ['firstkey', 'secondkey', 'deletedkey']) {
    await sql`insert into gateway.api_keys (id, store_id, name, key_hash) values (${id}, ${storeId}, 'a', ${hash})`;
  }
  await sql`set search_path = gateway`;
  await sql`delete from gateway.api_keys where id = 'deletedkey'`;
});

/** Statements of the previous version, by the role that runs them. */
const previousStatements = {
  gateway: [
    'select id, name, tier, timezone, locale, country, rate_limit, created_at, updated_at from stores',
    `update stores set name = 'B', rate_limit = 7, updated_at = clock_timestamp() where id = '${storeId}' returning id`,
    `select 1 from stores where id = '${storeId}' for key share`,
    `insert into api_keys (id, store_id, name, key_hash) values ('thirdkey', '${storeId}', 'c', decode(repeat('02', 32), 'hex')) returning id, store_id, name, scopes, created_at, expires_at, revoked_at, last_used_at`,
    `select id from api_keys where store_id = '${storeId}' and id = 'firstkey' and revoked_at is null for update`,
    `update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()), updated_at = clock_timestamp() where store_id = '${storeId}' and id = 'firstkey' returning id`,
    `select id from api_keys where store_id = '${storeId}' order by created_at desc, id`,
  ],
  gateway_system: [
    `select k.id, k.key_hash, k.store_id, k.scopes, k.expires_at, k.revoked_at, s.tier, s.rate_limit, s.country, s.timezone, s.locale
     from api_keys k join stores s on s.id = k.store_id where k.id in (
       select id from api_keys where updated_at > clock_timestamp() - make_interval(secs => 30)
       union select of_store.id from stores changed join api_keys of_store on of_store.store_id = changed.id
       where changed.updated_at > clock_timestamp() - make_interval(secs => 30)) limit 5000`,
    'select id from deleted_api_keys where deleted_at > now() - make_interval(secs => 30)',
    `update api_keys set last_used_at = used.at from unnest(array['secondkey'], array[now()]) as used (key_id, at)
     where id = used.key_id and (last_used_at is null or last_used_at < used.at) returning id`,
  ],
};
const writing = /^\s*(insert|update)/;

/** The number of rows of each statement of a role, or its error code. */
async function outcomes(role: keyof typeof previousStatements): Promise<(number | string)[]> {
  const found: (number | string)[] = [];
  await onServer(urlOf(role), async (client) => {
    await client`select set_config('mostrador.store_id', ${storeId}, false)`;
    for (const statement of previousStatements[role]) {
      found.push(
        await client.unsafe(statement).then(
          (rows) => rows.length,
          (error: { code: string }) => error.code,
        ),
      );
    }
  });
  return found;
}

test('while both versions run, the previous one reads and writes as before, and both see the same rows', async () => {
  const before = await sql`select * from gateway.api_keys order by id`;
  await migrateSchemas(ownerUrl, log, { contract: false });
  expect(await sql`select * from accounts.api_keys order by id`).toEqual(before);
  expect(await sql`select id from accounts.deleted_api_keys`).toEqual([{ id: 'deletedkey' }]);

  expect(await outcomes('gateway')).toEqual([1, 1, 1, 1, 1, 1, 3]);
  expect(await outcomes('gateway_system')).toEqual([3, 1, 1]);
  const keys = await sql`select id, revoked_at is not null as revoked, last_used_at is not null as used
    from accounts.api_keys order by id`;
  expect(keys).toEqual([
    { id: 'firstkey', revoked: true, used: false },
    { id: 'secondkey', revoked: false, used: true },
    { id: 'thirdkey', revoked: false, used: false },
  ]);
  expect(await sql`select name, rate_limit from accounts.stores`).toEqual([{ name: 'B', rate_limit: 7 }]);
  // Another store's rows stay hidden behind the views, too.
  await onServer(urlOf('gateway'), async (client) => {
    expect(await client`select id from stores`).toEqual([]);
    expect(await client`select id from api_keys`).toEqual([]);
  });
});

test('the triggers still notice what an operator changes and deletes in SQL', async () => {
  await migrateSchemas(ownerUrl, log);
  await sql`set search_path = public`;
  await sql`update accounts.api_keys set updated_at = now() - interval '1 hour'`;
  await sql`update accounts.api_keys set revoked_at = now() where id = 'firstkey'`;
  await sql`delete from accounts.api_keys where id = 'secondkey'`;
  expect(await sql`select id from accounts.api_keys where updated_at > now() - interval '1 minute'`).toHaveLength(1);
  expect(await sql`select id from accounts.deleted_api_keys order by id`).toEqual([
    { id: 'deletedkey' },
    { id: 'secondkey' },
  ]);
});

test('after the contract step the gateway only reads, the views are gone, and a second run changes nothing', async () => {
  await migrateSchemas(ownerUrl, log, { contract: false });
  await migrateSchemas(ownerUrl, log, { contract: true });
  await createRoles(sql, { database: name, password });
  await migrateSchemas(ownerUrl, log);
  const inAccounts = (statement: string) =>
    statement.replaceAll(/\b(from|join|update|into) (stores|api_keys|deleted_api_keys)\b/g, '$1 accounts.$2');
  for (const role of ['gateway', 'gateway_system'] as const) {
    await onServer(urlOf(role), async (client) => {
      for (const statement of previousStatements[role].filter((each) => writing.test(each))) {
        await expect(client.unsafe(statement)).rejects.toMatchObject({ code: '42P01' });
        await expect(client.unsafe(inAccounts(statement))).rejects.toMatchObject({ code: '42501' });
      }
    });
  }
  const [{ functions } = { functions: 0 }] = await sql`
    select count(*)::int as functions from pg_proc where proname = 'take_over_stores_and_keys'`;
  expect(functions).toBe(0);
});

test('accounts is not migrated before the gateway, and then nothing has changed', async () => {
  await sql`delete from gateway.schema_migrations where name = '0004-store-country.sql'`;
  await expect(migrateService('accounts', ownerUrl('accounts'), log)).rejects.toThrow(/migrate it before the schema/);
  expect(await sql`select count(*)::int as keys from gateway.api_keys`).toEqual([{ keys: 2 }]);
  expect(await sql`select relkind from pg_class where oid = 'gateway.api_keys'::regclass`).toEqual([{ relkind: 'r' }]);
});
