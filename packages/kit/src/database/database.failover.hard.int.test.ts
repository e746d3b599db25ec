import { silentLog } from '@mostrador/testing/context';
import {
  type Certificates,
  canMakeCertificates,
  makeCertificates,
  trustAuthority,
} from '@mostrador/testing/servers/certificates';
import { type ReplicatedPostgres, startReplicatedPostgres } from '@mostrador/testing/servers/replicated-postgres';
import { collectUncaught, type Uncaught } from '@mostrador/testing/uncaught';
import { waitFor } from '@mostrador/testing/wait';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSystemDatabase, type SystemDatabase } from './database.ts';
import { databaseCheck } from './readiness.ts';

// The file has servers of its own, because it kills one. They use the system pool, as database.outage.int.test.ts does.
const forms = [
  ...(canMakeCertificates ? [{ secured: true, form: 'over TLS' }] : []),
  { secured: false, form: 'in plain text' },
];

describe.each(forms)('$form', ({ secured }) => {
  let servers: ReplicatedPostgres;

  let certificates: Certificates | undefined;
  let distrust = () => {};
  const pools: SystemDatabase[] = [];
  let uncaught: Uncaught;

  beforeAll(async () => {
    uncaught = collectUncaught();
    if (secured) {
      certificates = makeCertificates();
      distrust = trustAuthority(certificates.ca);
    }
    servers = await startReplicatedPostgres({ tls: certificates?.server });
  });
  afterEach(() => expect(uncaught.errors.splice(0)).toEqual([]));
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    await servers?.stop();
    distrust();
    certificates?.remove();
    uncaught.stop();
  });

  function open(url: string, lifetimeMs?: number): SystemDatabase {
    const pool = createSystemDatabase({ url, size: 4, log: silentLog(), name: 'failover', lifetimeMs });
    pools.push(pool);
    return pool;
  }
  const scope = (timeoutMs = 30_000) => ({ deadline: Date.now() + timeoutMs });
  const backendOf = async (pool: SystemDatabase) =>
    (await pool.read(scope(), (sql) => sql`select pg_backend_pid() as pid`))[0]?.pid as number;
  const readOnly = { code: 'service_unavailable', retryAfterSeconds: 1, cause: { code: '25006' } };

  test('a standby gets no statement, also no read, and its reason says what to do', async () => {
    const pool = open(servers.standbyUrl);
    await expect(pool.read(scope(), (sql) => sql`select 1`)).rejects.toMatchObject(readOnly);
    await expect(pool.write(scope(), (sql) => sql`create table t (n int)`)).rejects.toMatchObject(readOnly);
    await expect(databaseCheck(pool, 'DATABASE_URL')()).rejects.toThrow('list every host in DATABASE_URL');
  });

  test('of several hosts the one that takes writes is used, whichever comes first', async () => {
    const pool = open(servers.url);
    const [row] = await pool.read(scope(), (sql) => sql`select inet_server_port() as port`);
    expect(row?.port).toBe(Number(new URL(servers.primaryUrl).port));
  });

  test('a connection to a server that became read-only is not used again, for a read, a write or a check', async () => {
    const [pool, writer, checked] = [open(servers.primaryUrl), open(servers.primaryUrl), open(servers.primaryUrl)];
    const before = await Promise.all([pool, writer, checked].map(backendOf));
    const admin = postgres(servers.primaryUrl, { max: 1, onnotice: () => {} });
    const setReadOnly = async (value: 'on' | 'off') => {
      await admin`set default_transaction_read_only = off`;
      await admin.unsafe(`alter system set default_transaction_read_only = ${value}`);
      await admin`select pg_reload_conf()`;
      const known = () => admin`select setting from pg_file_settings where name = 'default_transaction_read_only'`;
      await waitFor(async () => (await known())[0]?.setting === value, { description: 'the setting is there' });
    };
    try {
      await setReadOnly('on');
      const refuses = (work: () => Promise<unknown>) =>
        waitFor(
          async () => {
            const outcome = await work().catch((error) => error.code);
            return outcome === 'service_unavailable';
          },
          { description: 'the server is read-only' },
        );
      await refuses(() => pool.read(scope(), (sql) => sql`select 1`));
      await refuses(() => writer.write(scope(), (sql) => sql`create table written (n int)`));
      await refuses(() => checked.ping());
      const backends = () => admin`select pid from pg_stat_activity where pid in ${admin(before)}`;
      await waitFor(async () => (await backends()).length === 0, {
        description: 'the connections of before are closed',
      });
    } finally {
      await setReadOnly('off');
      await admin.end();
    }
    await waitFor(() => pool.ping().then(() => true), { description: 'the pool works again' });
  });

  test('a connection is replaced when it is too old, and never while it is in use', async () => {
    const pool = open(servers.primaryUrl, 100);
    const before = await backendOf(pool);
    await waitFor(async () => (await backendOf(pool)) !== before, { description: 'another connection' });
    const [row] = await pool.read(scope(), (sql) => sql`select pg_sleep(0.3), 1 as one`);
    expect(row?.one).toBe(1);
  });

  test('after a failover the pools work again without a restart, and nothing that was acknowledged is lost', async () => {
    const pool = open(servers.url);
    await pool.write(scope(), (sql) => sql`create table facts (n int primary key)`);
    const acknowledged: number[] = [];
    let [next, over] = [0, false];
    const write = async () => {
      while (!over) {
        const n = next++;
        const written = pool.write(scope(500), (sql) => sql`insert into facts values (${n})`);
        await written.then(
          () => acknowledged.push(n),
          (error) => expect(['service_unavailable', 'upstream_timeout']).toContain(error.code),
        );
      }
    };
    const writers = Promise.all(Array.from({ length: 4 }, write));
    await waitFor(() => acknowledged.length >= 50, { description: 'some writes are acknowledged' });
    await servers.killPrimary();
    const before = acknowledged.length;
    await servers.promoteStandby();
    await waitFor(() => acknowledged.length >= before + 50, {
      description: 'writes are acknowledged',
    });
    over = true;
    await writers;
    const rows = await pool.read(scope(), (sql) => sql<{ n: number }[]>`select n from facts`);
    const kept = new Set(rows.map(({ n }) => n));
    expect(acknowledged.filter((n) => !kept.has(n))).toEqual([]);
  });
});
