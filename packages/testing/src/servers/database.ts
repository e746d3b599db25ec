import { randomBytes } from 'node:crypto';
import {
  createDatabase,
  createSystemDatabase,
  type Database,
  type SystemDatabase,
} from '@mostrador/kit/database/database';
import postgres from 'postgres';
import { silentLog } from '../context.ts';
import { waitFor } from '../wait.ts';

/** A test's own database, with the migrated schemas of all services. */
export type TestDatabase = {
  /** Connections with the role of the service's requests. */
  readonly database: Database;
  /** Connections with the role of its relay and sweeps. */
  readonly systemDatabase: SystemDatabase;
  /** Connections of an administrator, without row-level security. `search_path` is the service's schema. */
  readonly adminSql: postgres.Sql;
  readonly url: string;
  readonly systemUrl: string;
  readonly ownerUrl: string;
  /** Runs statements as a role, with or without a store, and rolls them back. */
  as<T>(role: string, store: string | null, work: (sql: postgres.Sql) => Promise<T>): Promise<T>;
  /** Copies the database, and returns when. `restore` puts the copy in its place, once. Both end all connections. */
  backUp(): Promise<{ at: string; restore(): Promise<void> }>;
  close(): Promise<void>;
  /** Closes the connections and drops the database. */
  drop(): Promise<void>;
};

/** Clones the template: that with the migrated schemas, unless another is given. The connections use the roles and the schema of `service`. */
export async function createTestDatabase(
  service: string,
  template = required('TEST_TEMPLATE_DATABASE'),
): Promise<TestDatabase> {
  const serverUrl = testServerUrl();
  const name = `test_${service}_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, (sql) => sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`);

  const urlOf = (role?: string) => {
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    if (role) url.username = role; // all roles of the test server have the same password
    return url.href;
  };
  // The gateway has only this role.
  const requests = service === 'gateway' ? 'gateway_system' : service;
  const [url, systemUrl, ownerUrl] = [urlOf(requests), urlOf(`${service}_system`), urlOf(`${service}_owner`)];
  const log = silentLog();
  const database = createDatabase({ url, size: 8, log, name: `${service} test` });
  const systemDatabase = createSystemDatabase({ url: systemUrl, size: 2, log, name: `${service} test system` });
  const adminSql = postgres(urlOf(), { max: 2, onnotice: () => {}, connection: { search_path: service } });
  // A new connection must open within 5 s, which a machine that stands still exceeds. So they are opened here.
  const open = async (pool: Pick<Database, 'ping' | 'stats'>) => {
    await waitFor(() => pool.ping().then(() => true), { description: `a connection to ${name}` });
    void Promise.allSettled(Array.from({ length: pool.stats().size }, () => pool.ping()));
  };
  await Promise.all([open(database), open(systemDatabase)]);
  const close = async () =>
    void (await Promise.all([database.close(), systemDatabase.close(), adminSql.end({ timeout: 1 })]));
  return {
    database,
    systemDatabase,
    adminSql,
    url,
    systemUrl,
    ownerUrl,
    as: (role, store, work) => undone(adminSql, role, store, work),
    async backUp() {
      const copy = `${name}_copy`;
      let at = '';
      const quiet = async (sql: postgres.Sql) => {
        await sql`alter database ${sql(name)} with allow_connections false`;
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
      };
      await onServer(serverUrl, async (sql) => {
        await quiet(sql);
        const [clock] = await sql<[{ now: Date }]>`select clock_timestamp() as now`;
        at = clock.now.toISOString();
        await sql`create database ${sql(copy)} template ${sql(name)}`;
        await sql`alter database ${sql(name)} with allow_connections true`;
      });
      return {
        at,
        restore: () =>
          onServer(serverUrl, async (sql) => {
            await quiet(sql);
            await sql`drop database ${sql(name)}`;
            await sql`alter database ${sql(copy)} rename to ${sql(name)}`;
          }),
      };
    },
    close,
    async drop() {
      await close();
      await onServer(serverUrl, (sql) => sql`drop database if exists ${sql(name)} with (force)`);
    },
  };
}

async function undone<T>(
  adminSql: postgres.Sql,
  role: string,
  store: string | null,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  let result: T | undefined;
  const undo = new Error('undo');
  await adminSql
    .begin(async (sql) => {
      await sql`set local role ${sql(role)}`;
      if (store) await sql`select set_config('mostrador.store_id', ${store}, true)`;
      result = await work(sql as unknown as postgres.Sql);
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  return result as T;
}

/** Runs statements on the test server's default database. */
export async function onServer(url: string, work: (sql: postgres.Sql) => PromiseLike<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

/** The address of an administrator of the test server. */
export const testServerUrl = (): string => required('TEST_POSTGRES_URL');

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with npm test`);
  return value;
}
