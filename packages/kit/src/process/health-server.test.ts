import { Gauge } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import { build } from './build.ts';
import { createHealth } from './health.ts';
import { exportHealth, serveHealth } from './health-server.ts';
import { createMetrics } from './metrics.ts';

const up = async () => {};
const down = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432'));

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

  test('with a port of their own, the metrics are there and nowhere else', async () => {
    const health = createHealth({ required: { postgres: down } });
    const metrics = createMetrics('test');
    exportHealth(metrics, health);
    const warnings = () => ['a proxy is not trusted'];
    const server = await serveHealth({ host: '127.0.0.1', port: 0, metricsPort: 0, health, metrics, warnings });
    open.push(server);
    const get = (port: number | undefined, path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect(server.port).not.toBe(server.metricsPort);
    expect((await get(server.port, '/metrics')).status).toBe(404);
    for (const port of [server.port, server.metricsPort]) {
      expect((await get(port, '/healthz')).status).toBe(200);
      expect(await (await get(port, '/readyz')).json()).toMatchObject({
        dependencies: { postgres: { state: 'down', detail: 'the check failed' } },
        warnings: ['a proxy is not trusted'],
      });
    }
    const text = await (await get(server.metricsPort, '/metrics')).text();
    expect(text).toContain('mostrador_dependency_up{dependency="postgres",service="test"} 0');
    expect(text).toContain('mostrador_ready{service="test"} 0');
  });

  test('one port for both has one listener, and a process without a port for its metrics has none', async () => {
    const health = createHealth({ required: {} });
    const metrics = createMetrics('test');
    const first = await serveHealth({ host: '127.0.0.1', port: 0, health, metrics });
    await first.close();
    const both = await serveHealth({ host: '127.0.0.1', port: first.port, metricsPort: first.port, health, metrics });
    open.push(both);
    expect((await fetch(`http://127.0.0.1:${first.port}/metrics`)).status).toBe(200);
    const none = await serveHealth({ host: '127.0.0.1', health, metrics });
    open.push(none);
    expect([none.port, none.metricsPort]).toEqual([undefined, undefined]);
    const gateway = await serveHealth({ host: '127.0.0.1', metricsPort: 0, health, metrics });
    open.push(gateway);
    expect((await fetch(`http://127.0.0.1:${gateway.metricsPort}/metrics`)).status).toBe(200);
  });

  test('fails to start on a port that is taken', async () => {
    const health = createHealth({ required: {} });
    const first = await serveHealth({ host: '127.0.0.1', port: 0, health, metrics: createMetrics('a') });
    open.push(first);
    const second = serveHealth({ host: '127.0.0.1', port: first.port, health, metrics: createMetrics('b') });
    await expect(second).rejects.toThrow('is taken; set HEALTH_PORT or METRICS_PORT');
  });
});
