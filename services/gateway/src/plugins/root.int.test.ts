import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { errorCatalogue, getCalendarConnection, getLead } from '@mostrador/contracts';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publicUrl, startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const get = (url: string) => gateway.app.inject({ url });

describe('probes', () => {
  test('/healthz is 200 while the process runs', async () => {
    expect((await get('/healthz')).statusCode).toBe(200);
  });

  test('/readyz shows each dependency, and a service that is down does not make the gateway unready', async () => {
    const answer = await get('/readyz');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      ready: true,
      dependencies: {
        postgres: { state: 'up' },
        nats: { state: 'up' },
        scheduling: { state: 'down' },
        crm: { state: 'down' },
        messaging: { state: 'down' },
      },
    });
    const getConnection = async () => ({ provider: null, status: 'not_connected' as const });
    await gateway.serve('scheduling', { getCalendarConnection }, { getCalendarConnection: getConnection });
    expect((await get('/readyz')).json().dependencies.scheduling).toEqual({ state: 'up' });
  });

  test('/readyz is 503 while PostgreSQL is down', async () => {
    gateway.toDatabase.cut();
    const answer = await get('/readyz');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ ready: false, dependencies: { postgres: { state: 'down' } } });
    gateway.toDatabase.mend();
    await waitFor(async () => (await get('/readyz')).statusCode === 200, { description: 'ready again' });
  });

  test('/readyz does not wait for look-ups of keys', async () => {
    const release = Promise.withResolvers<void>();
    const held = gateway.lookUps.read({ deadline: Date.now() + 10_000 }, () => release.promise);
    expect((await get('/readyz')).json().dependencies.postgres).toEqual({ state: 'up' });
    release.resolve();
    await held;
  });

  test('/metrics has the text format of Prometheus', async () => {
    const answer = await get('/metrics');
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.body).toMatch(/mostrador_http_duration_seconds_count\{.*route="\/healthz"/);
  });
});

describe('documentation', () => {
  test('/docs/json is the OpenAPI document with the addresses of this installation', async () => {
    const answer = await get('/docs/json');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Mostrador', version: '1.0.0' },
      servers: [{ url: `${publicUrl}/integrations/v1` }, { url: '/integrations/v1' }],
    });
  });

  test.each(['/docs/static/%00', '/docs/static/a%5c%00..'])(
    'an asset whose name has a NUL byte is a malformed request, not an error of the gateway: %s',
    async (address) => {
      const answer = await get(address);
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'malformed_request']);
    },
  );

  test('/docs is a page that loads all assets from its own origin', async () => {
    const answer = await get('/docs');
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('<title>Mostrador</title>');
    const assets = [...answer.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
    expect(assets.length).toBeGreaterThan(4);
    for (const asset of assets) {
      expect(asset).toMatch(/^\/docs\/static\//);
      expect((await get(asset)).statusCode).toBe(200);
    }
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain('https:;');
  });

  test('the page does not store the API key', async () => {
    const { body } = await get('/docs/static/swagger-initializer.js');
    expect(body).toMatch(/"persistAuthorization":\s*false/);
  });

  test('switched off, /docs and the OpenAPI document are 404, and the pages of errors stay', async () => {
    const off = await startTestGateway({ docs: false });
    try {
      for (const url of ['/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/static/index.html']) {
        const answer = await off.app.inject({ url });
        expect([answer.statusCode, answer.json().code], url).toEqual([404, 'route_not_found']);
      }
      expect((await off.app.inject({ url: '/docs/errors/route_not_found' })).statusCode).toBe(200);
    } finally {
      await off.stop();
    }
  });

  test('every error code has the page that its problem documents name, and the list page links to all', async () => {
    const list = await get('/docs/errors');
    for (const [code, { status }] of Object.entries(errorCatalogue)) {
      expect(list.body).toContain(`/docs/errors/${code}`);
      const answer = await get(`/docs/errors/${code}`);
      expect(answer.statusCode).toBe(200);
      expect(answer.body).toContain(String(status));
    }
    expect((await get('/docs/errors/nothing')).json().code).toBe('route_not_found');
    expect((await get('/docs/static/nothing.js')).json().code).toBe('route_not_found');
  });
});

describe('CORS', () => {
  const origin = 'https://console.example.com';
  const preflight = {
    method: 'OPTIONS',
    url: '/integrations/v1/leads',
    headers: { origin, 'access-control-request-method': 'POST' },
  } as const;

  test('is off unless origins are configured', async () => {
    const answer = await gateway.app.inject(preflight);
    expect([answer.statusCode, answer.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    const plain = await gateway.app.inject({ url: '/healthz', headers: { origin } });
    expect(plain.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('allows only the configured origins and exposes the response headers to them', async () => {
    const open = await startTestGateway({ corsOrigins: `${origin}, https://b.example.com` });
    try {
      const allowed = await open.app.inject(preflight);
      expect([allowed.statusCode, allowed.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
      const unknown = await open.app.inject({ ...preflight, url: '/integrations/v1/nothing' });
      expect([unknown.statusCode, unknown.headers.allow]).toEqual([204, undefined]);
      expect(allowed.headers['access-control-allow-origin']).toBe(origin);
      expect(allowed.headers['access-control-allow-headers']).toContain('X-API-Key');
      const refused = await open.app.inject({
        ...preflight,
        headers: { ...preflight.headers, origin: 'https://evil.example' },
      });
      expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
      const error = await open.app.inject({ url: '/integrations/v1/store', headers: { origin } });
      expect(error.json().code).toBe('missing_api_key');
      expect(error.headers['access-control-allow-origin']).toBe(origin);
      expect(error.headers['access-control-expose-headers']).toContain('RateLimit');
      const lost = await open.app.inject({ url: '/nothing', method: 'POST' });
      expect(lost.json().code).toBe('route_not_found');
    } finally {
      await open.stop();
    }
  });
});

test('a draining gateway still serves, and closes each connection after its response', async () => {
  const draining = await startTestGateway();
  const { apiKey } = await draining.newStore();
  const ask = () => draining.app.inject({ url: '/integrations/v1/nothing', headers: { 'x-api-key': apiKey } });
  expect((await ask()).headers.connection).not.toBe('close');
  draining.health.drain();
  const answer = await ask();
  expect([answer.statusCode, answer.headers.connection]).toEqual([404, 'close']);
  expect((await draining.app.inject({ url: '/readyz' })).statusCode).toBe(503);
  await draining.stop();
});

test('a stopping gateway is unready at once, accepts no connection, and answers requests in progress', async () => {
  const stopping = await startTestGateway();
  const { apiKey, store } = await stopping.newStore();
  const release = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const lead = {
    id: store.id,
    store_id: store.id,
    name: 'Ana',
    customer_phone: '5511900000000',
    status: 'pending' as const,
    seller_id: null,
    external_id: null,
    email: null,
    tags: ['vip'],
    metadata: { plan: 'gold' },
    interaction_count: 0,
    ai_paused_until: null,
    created_at: store.created_at,
    updated_at: store.created_at,
  };
  await stopping.serve(
    'crm',
    { getLead },
    {
      getLead: async () => {
        taken.resolve();
        await release.promise;
        return lead;
      },
    },
  );
  await stopping.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = stopping.app.server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const underWay = fetch(`${base}/integrations/v1/leads/${store.id}`, { headers: { 'x-api-key': apiKey } });
  await taken.promise;

  stopping.health.drain();
  expect((await fetch(`${base}/readyz`)).status).toBe(503);
  const listening = once(stopping.app.server, 'close');
  const closed = stopping.app.close();
  await waitFor(() => !stopping.app.server.listening, { description: 'no longer listening' });
  await expect(fetch(`${base}/healthz`)).rejects.toThrow();

  release.resolve();
  const answer = await underWay;
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual(lead);
  await Promise.all([closed, listening]);
  await stopping.stop();
});
