import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { silentLog } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Child, createChildren, untilReady } from '../../../../infra/local/children.ts';
import { freePort } from '../../../../infra/local/ports.ts';
import { adminUrl, findPostgres, preparePostgres } from '../../../../infra/local/servers/postgres.ts';
import { createSystemDatabase, type SystemDatabase } from './database.ts';

// This file has its own server, so that tests can stop, kill and freeze it. They use the system pool, because the
// administrator's rows belong to no store. Below that both pools are the same.
const poolSize = 4;
let folder: string;
let port: number;
let server: Child;
let database: SystemDatabase;

async function startServer(): Promise<void> {
  const options = { binaries: findPostgres(process.env), dataDirectory: join(folder, 'data'), port, password: 'test' };
  const spec = await preparePostgres({ ...options, durable: true });
  server = createChildren(join(folder, 'children.json')).start(spec);
  await untilReady(spec, server, 30_000);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mostrador-outage-'));
  port = await freePort();
  await startServer();
  const url = adminUrl({ port, password: 'test' });
  database = createSystemDatabase({ url, size: poolSize, log: silentLog(), name: 'outage' });
  await write((sql) => sql`create table facts (id int generated always as identity, text text)`);
});
afterAll(async () => {
  await database?.close();
  await server?.stop(5000);
  await rm(folder, { recursive: true, force: true });
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
  expect(database.stats()).toEqual({ size: poolSize, busy: 0, waiting: 0 });
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
  const url = adminUrl({ port: (silent.address() as AddressInfo).port, password: 'test' });
  const unreachable = createSystemDatabase({ url, size: 1, log: silentLog(), name: 'silent' });
  try {
    const read = unreachable.read(scope(200), (sql) => sql`select 1`);
    await expect(read).rejects.toMatchObject({ code: 'service_unavailable' });
  } finally {
    await unreachable.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

test('while PostgreSQL is frozen no operation outlasts its deadline, and the pool works again afterwards', async () => {
  await atOnce(poolSize, () => note('warm'));
  const backends = await database.read(scope(), (sql) => sql`select pid from pg_stat_activity where pid is not null`);
  const processes = [server.pid, ...backends.map(({ pid }) => pid as number)];
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of processes) process.kill(pid, signal);
  };
  signalAll('SIGSTOP');
  try {
    // Timers fire in the order of their times, also after the machine has stood still.
    const reads = atOnce(poolSize * 3, () => database.read(scope(500), (sql) => sql`select 1`));
    const outcomes = await Promise.race([reads, pause(5_000, [])]);
    expect(outcomes.filter((code) => code === 'upstream_timeout')).toHaveLength(poolSize);
    expect(outcomes.filter((code) => code === 'service_unavailable')).toHaveLength(poolSize * 2);
  } finally {
    signalAll('SIGCONT');
  }
  await expectWholePool();
});
