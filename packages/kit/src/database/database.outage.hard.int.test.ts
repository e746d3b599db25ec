import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Child, createChildren, untilReady } from '@mostrador/local-platform/children';
import { freePort } from '@mostrador/local-platform/ports';
import { adminUrl, findPostgres, preparePostgres } from '@mostrador/local-platform/servers/postgres';
import { awakeMs } from '@mostrador/testing/awake';
import { silentLog } from '@mostrador/testing/context';
import { startTcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import {
  type Certificates,
  canMakeCertificates,
  makeCertificates,
  trustAuthority,
} from '@mostrador/testing/servers/certificates';
import { collectUncaught, type Uncaught } from '@mostrador/testing/uncaught';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSystemDatabase, type SystemDatabase } from './database.ts';

// This file has its own server, so that tests can stop, kill and freeze it. They use the system pool, because the
// administrator's rows belong to no store. Below that both pools are the same.
const poolSize = 4;
const forms = canMakeCertificates ? ['verify-full', 'disable'] : ['disable'];

describe.each(forms)('with sslmode=%s', (sslmode) => {
  let folder: string;
  let port: number;
  let server: Child;
  let database: SystemDatabase;
  let certificates: Certificates | undefined;
  let distrust = () => {};
  const opened: SystemDatabase[] = [];
  let uncaught: Uncaught;

  async function startServer(): Promise<void> {
    const options = {
      binaries: findPostgres(process.env),
      dataDirectory: join(folder, 'data'),
      port,
      password: 'test',
    };
    const spec = await preparePostgres({ ...options, durable: true, tls: certificates?.server });
    server = createChildren(join(folder, 'children.json')).start(spec);
    await untilReady(spec, server);
  }

  /** The address of an administrator, unless `user` is another one. */
  function urlOf(changes: { port?: number; user?: string; password?: string } = {}): string {
    const url = new URL(adminUrl({ port: changes.port ?? port, password: changes.password ?? 'test' }));
    url.username = changes.user ?? url.username;
    url.searchParams.set('sslmode', sslmode);
    return url.href;
  }

  function open(url = urlOf(), size = poolSize): SystemDatabase {
    const pool = createSystemDatabase({ url, size, log: silentLog(), name: 'outage' });
    opened.push(pool);
    return pool;
  }

  beforeAll(async () => {
    uncaught = collectUncaught();
    folder = await mkdtemp(join(tmpdir(), 'mostrador-outage-'));
    port = await freePort();
    if (sslmode !== 'disable') {
      certificates = makeCertificates();
      distrust = trustAuthority(certificates.ca);
    }
    await startServer();
    database = open();
    await write((sql) => sql`create table facts (id int generated always as identity, text text)`);
  });
  afterEach(() => expect(uncaught.errors.splice(0)).toEqual([]));
  afterAll(async () => {
    await Promise.all(opened.map((pool) => pool.close()));
    await server?.stop(5000);
    await rm(folder, { recursive: true, force: true });
    distrust();
    certificates?.remove();
    uncaught.stop();
  });

  const scope = (timeoutMs = 30_000) => ({ deadline: Date.now() + timeoutMs });
  const write = (work: Parameters<SystemDatabase['write']>[1]) => database.write(scope(), work);
  const note = (text: string) => write((sql) => sql`insert into facts (text) values (${text})`);
  const atOnce = <T>(count: number, work: () => Promise<T>) =>
    Promise.all(
      Array.from({ length: count }, () =>
        work().then(
          () => 'done',
          (error) => error.code,
        ),
      ),
    );

  /** Every connection works again and none is lost: the maximum number runs side by side. */
  async function expectWholePool(): Promise<void> {
    await waitFor(() => note('after').then(() => true), { description: 'the pool works again' });
    const sleeps = await atOnce(poolSize, () => database.read(scope(), (sql) => sql`select pg_sleep(0.05)`));
    expect(sleeps).toEqual(Array(poolSize).fill('done'));
    expect(database.stats()).toMatchObject({ size: poolSize, busy: 0, waiting: 0 });
  }

  test('the pool rejects at once while PostgreSQL is stopped, and works again after its restart', async () => {
    await atOnce(poolSize, () => note('warm'));
    await server.stop(5000);
    // With a wait for the deadline, or for the 5 s of a connection that does not open, the test would take too long.
    const attempt = () => database.read(scope(300_000), (sql) => sql`select 1`);
    expect(new Set(await atOnce(200, attempt))).toEqual(new Set(['service_unavailable']));
    await expect(database.ping()).rejects.toMatchObject({ code: 'service_unavailable' });
    await startServer();
    await expectWholePool();
  });

  test('acknowledged writes survive a kill of PostgreSQL, and the pool works again', async () => {
    let acknowledged = 0;
    let killed = false;
    const writers = atOnce(poolSize, async () => {
      while (!killed) {
        await note('acknowledged');
        acknowledged++;
      }
    });
    await waitFor(() => acknowledged >= 50, { description: 'some writes are acknowledged' });
    server.kill();
    await server.exited;
    killed = true;
    for (const outcome of await writers) expect(['done', 'service_unavailable', 'upstream_timeout']).toContain(outcome);
    await startServer();
    await expectWholePool();
    const [row] = await database.read(scope(), (sql) => sql`select count(*) from facts where text = 'acknowledged'`);
    // A COMMIT whose answer was lost may have taken effect.
    expect(row?.count).toBeGreaterThanOrEqual(acknowledged);
    expect(row?.count).toBeLessThanOrEqual(acknowledged + poolSize);
  });

  test('an operation whose connection does not open by its deadline was not done, and says so', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const unreachable = open(urlOf({ port: (silent.address() as AddressInfo).port }), 1);
    try {
      const read = unreachable.read(scope(200), (sql) => sql`select 1`);
      await expect(read).rejects.toMatchObject({ code: 'service_unavailable' });
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  test('while PostgreSQL is frozen no operation outlasts its deadline, and the pool works again afterwards', async () => {
    await atOnce(poolSize, () => note('warm'));
    const backends = await database.read(scope(), (sql) => sql`select pid from pg_stat_activity where pid is not null`);
    const processes = [server.pid, ...backends.map(({ pid }) => pid as number)];
    const signalAll = (signal: NodeJS.Signals) => {
      for (const pid of processes) {
        try {
          process.kill(pid, signal);
        } catch (error) {
          // A process of the server, such as a worker of autovacuum, ended meanwhile.
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }
    };
    signalAll('SIGSTOP');
    try {
      const sinceMs = awakeMs();
      const outcomes = await atOnce(poolSize * 3, () => database.read(scope(500), (sql) => sql`select 1`));
      expect(awakeMs() - sinceMs).toBeLessThan(5_000);
      expect(outcomes.filter((code) => code === 'upstream_timeout')).toHaveLength(poolSize);
      expect(outcomes.filter((code) => code === 'service_unavailable')).toHaveLength(poolSize * 2);
    } finally {
      signalAll('SIGCONT');
    }
    await expectWholePool();
  });

  test('an immediate shutdown in the middle of reads and transactions is unavailable or unknown, and the pool works again', async () => {
    await atOnce(poolSize, () => note('warm'));
    const working = atOnce(poolSize * 2, () =>
      database.write(scope(), (sql) => sql`insert into facts (text) select 'slow' from pg_sleep(60)`),
    );
    const running = async () => {
      const rows = await admin.read(
        scope(),
        (sql) => sql`select from pg_stat_activity where query like '%pg_sleep(60)%'`,
      );
      return rows.length > poolSize;
    };
    const admin = open(urlOf(), 1);
    await waitFor(running, { description: 'every connection is in the middle of a statement' });
    process.kill(server.pid, 'SIGQUIT');
    await server.exited;
    for (const outcome of await working) expect(['service_unavailable', 'upstream_timeout']).toContain(outcome);
    await startServer();
    await expectWholePool();
  });

  test('a login that PostgreSQL refuses is unavailable, with its reason, as often as it is tried', async () => {
    await write(
      (sql) =>
        sql.unsafe(`
    create role nologin nologin password 'test'; create role rejected login password 'test';
    create role full_up login password 'test' connection limit 0;`) as never,
    );
    const rules = join(folder, 'data/pg_hba.conf');
    await writeFile(rules, `host all rejected all reject\n${await readFile(rules, 'utf8')}`);
    await write((sql) => sql`select pg_reload_conf()`);
    const refused: [login: Parameters<typeof urlOf>[0], code: string][] = [
      [{ user: 'nologin' }, '28000'],
      [{ user: 'rejected' }, '28000'],
      [{ user: 'full_up' }, '53300'],
      [{ password: 'wrong' }, '28P01'],
      [{ user: 'no_such_role' }, '28P01'],
    ];
    for (const [login, code] of refused) {
      const pool = open(urlOf(login));
      for (let round = 0; round < 3; round++) {
        const attempts = Array.from({ length: poolSize * 2 }, () =>
          expect(pool.read(scope(), (sql) => sql`select 1`)).rejects.toMatchObject({
            code: 'service_unavailable',
            cause: { code },
          }),
        );
        await Promise.all(attempts);
      }
    }
    await expectWholePool();
  });

  test('a network that cuts every connection, also while they open, is unavailable or unknown, and the pool works again', async () => {
    const proxy = await startTcpProxy(`127.0.0.1:${port}`);
    const pool = open(urlOf({ port: proxy.port }));
    let over = false;
    const outcomes = new Set<string>();
    const work = Array.from({ length: poolSize * 2 }, async () => {
      while (!over) {
        const written = pool.write(scope(2_000), (sql) => sql`insert into facts (text) select repeat('x', 20000)`);
        outcomes.add(
          await written.then(
            () => 'done',
            (error) => error.code ?? String(error),
          ),
        );
      }
    });
    const finished = Promise.all(work);
    try {
      for (let cut = 0; cut < 20; cut++) {
        proxy.cut();
        await pause(Math.random() * 20);
        proxy.mend();
        await pause(Math.random() * 20);
      }
      await waitFor(() => pool.ping().then(() => true), { description: 'the pool works again' });
    } finally {
      over = true;
      await finished;
      await pool.close();
      await proxy.close();
    }
    expect([...outcomes].filter((code) => !['done', 'service_unavailable', 'upstream_timeout'].includes(code))).toEqual(
      [],
    );
  });
});
