import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { getChannelConnection } from '@mostrador/contracts';
import { freePort } from '@mostrador/local-platform/ports';
import { silentLog, testContext } from '@mostrador/testing/context';
import { startTcpProxy, type TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../database/migrate.ts';
import { createRpcClient } from '../rpc/client.ts';

/** Run before the program: the clock of the process is 10 s ahead. */
const aheadClock = 'const realNow = Date.now; Date.now = () => realNow() + 10_000;';

/** A complete service: one operation, which writes an event to the outbox and answers. */
const program = `
  import { Type } from '@sinclair/typebox';
  import { getChannelConnection } from '@mostrador/contracts';
  import { loadConfig, serviceConfig, temporalConfig } from '@mostrador/kit/process/config';
  import { appendOutbox } from '@mostrador/kit/outbox/outbox';
  import { runService } from '@mostrador/kit/service/service';
  const config = loadConfig(Type.Object({ ...serviceConfig, ...temporalConfig }));
  runService({
    name: 'messaging',
    config,
    temporal: config,
    operations: { getChannelConnection },
    migrations: '.', // it has none
    build: ({ database, relay }) => ({
      handlers: {
        async getChannelConnection(context) {
          const data = { seller_id: context.requestId, is_active: true };
          const entry = { kind: 'event', type: 'crm.seller.created', data };
          await database.write(context, (sql) => appendOutbox(sql, context.storeId, [entry]));
          relay.nudge();
          return { provider: null, status: 'not_connected', phone: null, opt_out_stops_api: true };
        },
      },
    }),
  });`;

let kit: TestDatabase;
let nats: TestNats;
let wayToPostgres: TcpProxy;
let service: ChildProcess;
let startService: (options?: { before?: string; env?: NodeJS.ProcessEnv }) => ChildProcess;
let healthUrl: string;
/** Further processes of a test. */
const others: ChildProcess[] = [];

beforeEach(async () => {
  [kit, nats] = await Promise.all([createKitDatabase(), startTestNats()]);
  const none = { schema: 'messaging', directory: import.meta.dirname, log: silentLog() };
  await migrate({ url: kit.ownerUrl, ...none });
  wayToPostgres = await startTcpProxy(new URL(kit.url).host);
  const throughProxy = (url: string) => Object.assign(new URL(url), { host: wayToPostgres.address }).href;
  const [healthPort, nowhere] = [await freePort(), await freePort()];
  healthUrl = `http://127.0.0.1:${healthPort}`;
  startService = ({ before = '', env = {} } = {}) =>
    spawn(process.execPath, ['--input-type=module', '--eval', before + program], {
      cwd: new URL('../..', import.meta.url),
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        NATS_URL: nats.url,
        DATABASE_URL: throughProxy(kit.url),
        DATABASE_SYSTEM_URL: throughProxy(kit.systemUrl),
        TEMPORAL_ADDRESS: `127.0.0.1:${nowhere}`,
        HEALTH_PORT: String(healthPort),
        ...env,
      },
    });
  service = startService();
});
afterEach(async () => {
  for (const child of [service, ...others.splice(0)]) if (child.exitCode === null) child.kill('SIGKILL');
  await wayToPostgres.close();
  await Promise.all([nats.stop(), kit.drop()]);
});

type Readiness = { status: number; dependencies: Record<string, { state: string; detail?: string }> };
async function readiness(url = healthUrl): Promise<Readiness> {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, ...((await response.json()) as Omit<Readiness, 'status'>) };
}
const untilStatus = (status: number) =>
  waitFor(async () => (await readiness()).status === status, {
    description: `ready answers ${status}`,
  });
const ask = () =>
  createRpcClient({ nats: nats.nats, log: silentLog() }).call(
    getChannelConnection,
    {},
    testContext({ storeId: randomUUID() }),
  );

test('a service is ready without Temporal, not without PostgreSQL, and again when PostgreSQL is back', async () => {
  await untilStatus(200);
  const { dependencies } = await readiness();
  expect(dependencies).toMatchObject({ postgres: { state: 'up' }, nats: { state: 'up' }, temporal: { state: 'down' } });
  expect(await ask()).toEqual({ provider: null, status: 'not_connected', phone: null, opt_out_stops_api: true });

  wayToPostgres.cut();
  await untilStatus(503);
  await expect(ask()).rejects.toMatchObject({ code: 'service_unavailable' });
  wayToPostgres.mend();
  await untilStatus(200);
  await ask();
});

test('a replica with a wrong database password gets no requests, and its readiness says what to do', async () => {
  const port = await freePort();
  const wrong = Object.assign(new URL(kit.url), { password: 'wrong' }).href;
  others.push(startService({ env: { DATABASE_URL: wrong, HEALTH_PORT: String(port) } }));
  await untilStatus(200);
  const ofOther = () => readiness(`http://127.0.0.1:${port}`);
  const saysWhatToDo = async () => {
    const { nats, postgres } = (await ofOther()).dependencies;
    return nats?.state === 'up' && String(postgres?.detail).includes('DATABASE_URL');
  };
  // On a slow machine the database may answer too late at first.
  await waitFor(saysWhatToDo, { description: 'the other is up but for its database, and says what to do' });
  expect(await ofOther()).toMatchObject({ status: 503 });
  for (let asked = 0; asked < 200; asked++) await ask();
});

test('while no replica is ready, a request gets service_unavailable without reaching one', async () => {
  await untilStatus(200);
  wayToPostgres.cut();
  await untilStatus(503);
  const refused = await ask().catch((error) => error);
  expect(refused).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
  expect(refused.cause?.message).toContain('no process answers');
});

test('a service that gets SIGTERM leaves no claimed outbox entry and exits with 0', async () => {
  await untilStatus(200);
  await Promise.all(Array.from({ length: 20 }, ask));
  const exited = once(service, 'exit');
  service.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  const [left] = await kit.adminSql`select count(*)::int as entries from outbox where next_attempt_at > now()`;
  expect(left?.entries).toBe(0);
});

test('metrics show request durations, busy connections and waiting outbox entries', async () => {
  await untilStatus(200);
  await ask();
  const scrape = async () => (await fetch(`${healthUrl}/metrics`)).text();
  await waitFor(async () => /mostrador_outbox_entries\{/.test(await scrape()), { description: 'the leader has read' });
  const text = await scrape();
  expect(text).toMatch(/mostrador_rpc_duration_seconds_count\{.*outcome="ok".*\} 1/);
  expect(text).toMatch(/mostrador_database_connections\{.*role="store".*state="busy".*\} \d/);
  expect(text).toMatch(/mostrador_outbox_entries\{.*\} \d/);
  expect(text).toMatch(/mostrador_outbox_entries_set_aside\{.*\} 0/);
  expect(text).toMatch(/mostrador_outbox_oldest_seconds\{.*\} \d/);
  expect(text).toMatch(/mostrador_leader\{.*\} 1/);
});

test('a service whose clock is 10 s ahead of PostgreSQL is not ready, and a metric shows it', async () => {
  const exited = once(service, 'exit');
  service.kill('SIGKILL');
  await exited;
  service = startService({ before: aheadClock });
  const up = async () => (await readiness()).dependencies.nats?.state === 'up';
  await waitFor(up, { description: 'it is up but for its clock' });
  expect(await readiness()).toMatchObject({ status: 503, dependencies: { clock: { state: 'down' } } });
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  expect(text).toMatch(/mostrador_clock_skew_seconds\{.*\} (9\.|10)/);
});
