import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { accessChangedSubject } from '@mostrador/contracts';
import { freePort } from '@mostrador/local-platform/ports';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createStoreRows } from '../test/stores.ts';

let database: TestDatabase;
let nats: TestNats;
let stores: ReturnType<typeof createStoreRows>;
let gatewayProcess: ChildProcess | undefined;

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase('gateway'), startTestNats()]);
  stores = createStoreRows(database.adminSql, () => nats.nats.publish(accessChangedSubject));
});
afterEach(() => void gatewayProcess?.kill('SIGKILL'));
afterAll(async () => {
  await nats?.stop();
  await database?.drop();
});

const main = join(import.meta.dirname, 'main.ts');

/** Starts the gateway as its own process and collects its log as text. */
function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, LOG_FORMAT: 'json', ...env },
  });
  gatewayProcess = child;
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output.text += chunk;
    });
  }
  return { child, output };
}

const environment = (port: number) => ({
  NATS_URL: nats.url,
  DATABASE_SYSTEM_URL: database.systemUrl,
  HTTP_PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  DRAIN_DELAY_MS: '0',
});

test('the process serves HTTP, rejects a revoked key, and stops in order at SIGTERM', async () => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const { child, output } = start(environment(port));
  await waitFor(async () => (await fetch(`${base}/readyz`)).status === 200, {
    description: 'the gateway is ready',
  });

  const { store, apiKey, key } = await stores.newStore();
  const ask = () => fetch(`${base}/integrations/v1/nothing`, { headers: { 'x-api-key': apiKey } });
  expect((await ask()).status).toBe(404);
  await stores.revokeKey(key.id);
  await waitFor(async () => (await ask()).status === 401, { description: 'the key is rejected' });

  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code, output.text).toBe(0);
  expect(output.text).not.toContain(apiKey);
  const lines = output.text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(expect.arrayContaining(['started', 'stopped']));
  const served = lines.map((line) => JSON.parse(line)).find(({ status }) => status === 404);
  expect(served).toMatchObject({ service: 'gateway', request_id: expect.any(String), store_id: store.id });
});

test('a ready gateway has opened a connection for look-ups, so the first request does not wait for a login', async () => {
  const port = await freePort();
  start(environment(port));
  const opened = () => database.adminSql`select 1 from pg_stat_activity where application_name = 'gateway system'`;
  await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200, {
    description: 'the gateway is ready',
  });
  expect((await opened()).length).toBeGreaterThan(0);
});

test('the log of a 503 has the error code, and names the operation that no process answers', async () => {
  const port = await freePort();
  const { output } = start(environment(port));
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
  await waitFor(ready, { description: 'the gateway is ready' });
  const { store, apiKey } = await stores.newStore();
  const url = `http://127.0.0.1:${port}/integrations/v1/leads/${store.id}`;
  const asked = await waitFor(
    async () => {
      const answer = await fetch(url, { headers: { 'x-api-key': apiKey } });
      return answer.status === 503 && answer.headers.get('x-request-id');
    },
    { description: 'the answer is 503' },
  );
  const lines = await waitFor(
    () => {
      const found = output.text.split('\n').filter((line) => line.includes(asked));
      return found.length === 2 && found.map((line) => JSON.parse(line));
    },
    { description: 'both lines are logged' },
  );
  expect(lines).toMatchObject([
    { level: 'warn', msg: 'a request failed because a dependency did not answer' },
    { level: 'warn', msg: 'http request', status: 503, code: 'service_unavailable' },
  ]);
  expect(JSON.stringify(lines[0])).toContain('no process answers crm.api.leads.get');
});

test('after SIGTERM the process is unready, and serves until the drain delay is over', async () => {
  const drain = async () => {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const { child, output } = start({ ...environment(port), DRAIN_DELAY_MS: '1000', SHUTDOWN_TIMEOUT_MS: '900' });
    const exited = once(child, 'exit');
    const readiness = async () => (await fetch(`${base}/readyz`)).status;
    await waitFor(async () => (await readiness()) === 200, { description: 'the gateway is ready' });
    child.kill('SIGTERM');
    while ((await readiness()) !== 503);
    expect((await fetch(`${base}/integrations/v1/store`)).status).toBe(401);
    const [code] = await exited;
    expect(code, output.text).toBe(0);
    return true;
  };
  // On a machine that stands still, the delay can be over before the process is asked.
  await waitFor(drain, { description: 'the gateway serves while it drains' });
});

test('without NATS and PostgreSQL the process answers probes, is not ready, and still stops', async () => {
  const [port, nobody] = [await freePort(), await freePort()];
  const { child } = start({
    ...environment(port),
    NATS_URL: `nats://127.0.0.1:${nobody}`,
    DATABASE_SYSTEM_URL: `postgres://x:x@127.0.0.1:${nobody}/x`,
  });
  const base = `http://127.0.0.1:${port}`;
  await waitFor(async () => (await fetch(`${base}/healthz`)).status === 200, {
    description: 'the process lives',
  });
  expect((await fetch(`${base}/readyz`)).status).toBe(503);
  const headers = { 'x-api-key': `mk_live_abcdefgh_${'a'.repeat(43)}` };
  const answer = await fetch(`${base}/integrations/v1/store`, { headers });
  expect(answer.status).toBe(503);
  expect(((await answer.json()) as { code: string }).code).toBe('service_unavailable');
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

test('the error for a taken port names the port and the setting that changes it', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { child, output } = start(environment(port));
  const [code] = await once(child, 'exit');
  other.close();
  expect(code).toBe(1);
  expect(output.text).toContain(`port ${port} is taken`);
  expect(output.text).toContain('HTTP_PORT');
});

test('an incomplete environment is rejected with every fault, and the output shows no secret', async () => {
  const { child, output } = start({ DATABASE_SYSTEM_URL: 'the-secret', HTTP_PORT: 'eighty' });
  const [code] = await once(child, 'exit');
  expect(code).toBe(1);
  for (const name of ['NATS_URL', 'DATABASE_SYSTEM_URL', 'HTTP_PORT', 'PUBLIC_URL']) {
    expect(output.text).toContain(name);
  }
  expect(output.text).not.toContain('the-secret');
});
