import { Gauge } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import { build } from './build.ts';
import { createHealth, NotReady, serveHealth } from './health.ts';
import { createMetrics } from './metrics.ts';

const up = async () => {};
const down = async () => {
  throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
};
const hangs = () => new Promise<void>(() => {});

describe('readiness', () => {
  test('needs every required dependency, and only shows the others', async () => {
    const health = createHealth({ required: { postgres: up, nats: up }, informative: { temporal: down } });
    expect(await health.ready()).toEqual({
      ready: true,
      dependencies: {
        postgres: { state: 'up' },
        nats: { state: 'up' },
        temporal: { state: 'down', detail: 'the check failed' },
      },
    });
    expect((await createHealth({ required: { postgres: down } }).ready()).ready).toBe(false);
  });

  test('reveals no addresses and no errors', async () => {
    const readiness = await createHealth({ required: { postgres: down } }).ready();
    expect(JSON.stringify(readiness)).not.toMatch(/10\.0\.0|ECONN/);
  });

  test('shows the reason that a check gives', async () => {
    const detail = 'PostgreSQL rejects the login: check the user and password in DATABASE_URL.';
    const refused = () => Promise.reject(new NotReady(detail, { cause: new Error('10.0.0.7') }));
    const readiness = await createHealth({ required: { postgres: refused } }).ready();
    expect(readiness.dependencies).toEqual({ postgres: { state: 'down', detail } });
  });

  test('reaches its listener before the probe is answered, and a listener that fails makes the process unready', async () => {
    const told: boolean[] = [];
    const outcomes = [up, down, up];
    const health = createHealth({
      required: { postgres: () => (outcomes.shift() ?? up)() },
      onReadiness: async (ready) => {
        told.push(ready);
        if (outcomes.length === 0) throw new Error('NATS does not answer');
      },
      cacheMs: 0,
    });
    for (const [index, ready] of [true, false, false].entries()) {
      expect((await health.ready()).ready).toBe(ready);
      expect(told).toHaveLength(index + 1);
    }
    expect(told).toEqual([true, false, true]);
  });

  test('does not wait for a check that hangs', async () => {
    const health = createHealth({ required: { postgres: hangs }, checkTimeoutMs: 20 });
    expect(await health.ready()).toEqual({
      ready: false,
      dependencies: { postgres: { state: 'down', detail: 'no answer within 20 ms' } },
    });
  });

  test('runs a check once for concurrent callers, and again when the answer is old', async () => {
    let checks = 0;
    const count = async () => {
      checks++;
    };
    const cached = createHealth({ required: { postgres: count } });
    await Promise.all(Array.from({ length: 20 }, () => cached.ready()));
    expect(checks).toBe(1);
    const fresh = createHealth({ required: { postgres: count }, cacheMs: 0 });
    await fresh.ready();
    await fresh.ready();
    expect(checks).toBe(3);
  });

  test('survives short failures of a dependency that was up, and returns with its first success', async () => {
    const outcomes = [down, up, down, down, up, down, down, down, up];
    const health = createHealth({
      required: { postgres: () => (outcomes.shift() ?? up)() },
      failuresUntilUnready: 3,
      cacheMs: 0,
    });
    const seen: boolean[] = [];
    for (let i = 0; i < 9; i++) seen.push((await health.ready()).ready);
    expect(seen).toEqual([false, true, true, true, true, true, true, false, true]);
  });

  test('ends at once when the process drains, while liveness continues', async () => {
    const health = createHealth({ required: { postgres: up } });
    expect((await health.ready()).ready).toBe(true);
    health.drain();
    expect((await health.ready()).ready).toBe(false);
    expect(health.live()).toEqual({ status: 'ok' });
  });
});

describe('the health server', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });

  test('answers probes and metrics, and 404 for every other request', async () => {
    const health = createHealth({ required: { postgres: up } });
    const server = await serveHealth({ host: '127.0.0.1', port: 0, health, metrics: createMetrics('test') });
    open.push(server);
    const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init);
    expect((await get('/healthz')).status).toBe(200);
    expect(await (await get('/readyz')).json()).toMatchObject({ ready: true, dependencies: { postgres: {} } });
    expect((await get('/readyz?probe=1', { method: 'HEAD' })).status).toBe(200);
    expect(await (await get('/metrics')).text()).toContain('process_cpu_seconds_total{service="test"}');
    expect(await (await get('/version')).json()).toEqual(build());
    expect((await get('/')).status).toBe(404);
    expect((await get('/healthz', { method: 'POST' })).status).toBe(404);
    health.drain();
    expect((await get('/readyz')).status).toBe(503);
    expect((await get('/healthz')).status).toBe(200);
  });

  test('answers 500 and keeps running when a metric cannot be collected', async () => {
    const metrics = createMetrics('test');
    new Gauge({
      name: 'backlog',
      help: 'Rows that wait.',
      registers: [metrics.registry],
      collect: () => Promise.reject(new Error('database down')),
    });
    const server = await serveHealth({ host: '127.0.0.1', port: 0, health: createHealth({ required: {} }), metrics });
    open.push(server);
    expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).status).toBe(500);
    expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
  });

  test('fails to start on a port that is taken', async () => {
    const health = createHealth({ required: {} });
    const first = await serveHealth({ host: '127.0.0.1', port: 0, health, metrics: createMetrics('a') });
    open.push(first);
    const second = serveHealth({ host: '127.0.0.1', port: first.port, health, metrics: createMetrics('b') });
    await expect(second).rejects.toThrow('EADDRINUSE');
  });
});
