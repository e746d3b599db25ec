import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getCalendarConnection, getLead } from '@mostrador/contracts';
import { build } from '@mostrador/kit/process/build';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

const get = (url: string) => gateway.app.inject({ url });
/** A check gives PostgreSQL and NATS one second, which a machine that stands still exceeds. */
const whenReady = () =>
  waitFor(
    async () => {
      const answer = await get('/readyz');
      return answer.statusCode === 200 && answer;
    },
    { description: 'the gateway is ready' },
  );

describe('probes', () => {
  test('/healthz is 200 while the process runs', async () => {
    expect((await get('/healthz')).statusCode).toBe(200);
  });

  test('/version names the release, and not the revision', async () => {
    expect((await get('/version')).json()).toEqual({ version: build().version });
  });

  test('/readyz shows each dependency, and a service that is down does not make the gateway unready', async () => {
    const answer = await whenReady();
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
    expect((await whenReady()).json().dependencies.scheduling).toEqual({ state: 'up' });
  });

  test('/readyz is 503 while PostgreSQL is down', async () => {
    gateway.toDatabase.cut();
    const answer = await get('/readyz');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ ready: false, dependencies: { postgres: { state: 'down' } } });
    gateway.toDatabase.mend();
    await whenReady();
  });

  test('/readyz does not wait for look-ups of keys', async () => {
    const release = Promise.withResolvers<void>();
    const held = gateway.lookUps.read({ deadline: Date.now() + 60_000 }, () => release.promise);
    expect((await whenReady()).json().dependencies.postgres).toEqual({ state: 'up' });
    release.resolve();
    await held;
  });

  test('the public port has no metrics, and no details of dependencies', async () => {
    expect((await get('/metrics')).statusCode).toBe(404);
    const { dependencies } = (await whenReady()).json();
    for (const dependency of Object.values(dependencies)) expect(Object.keys(dependency as object)).toEqual(['state']);
    const text = await gateway.metrics.text();
    expect(text).toMatch(/mostrador_http_duration_seconds_count\{.*route="\/healthz"/);
    expect(text).toMatch(/mostrador_http_errors_total\{.*route="none",code="route_not_found"/);
  });
});

type Answer = { readonly headers?: object };
type Described = {
  readonly paths: Record<
    string,
    Record<string, { parameters?: { in: string; name: string }[]; responses: Record<string, Answer> }>
  >;
  readonly components: {
    readonly securitySchemes: { readonly ApiKey: { readonly name: string } };
    readonly responses: Record<string, Answer>;
  };
};

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

  test('lets a page send each request header, use each method and read each response header of the API document', async () => {
    const open = await startTestGateway({ corsOrigins: origin });
    try {
      const { headers } = await open.app.inject(preflight);
      const error = await open.app.inject({ url: '/integrations/v1/store', headers: { origin } });
      const wordsOf = (value: unknown) => String(value).toLowerCase().split(/, ?/);
      const allowed = wordsOf(headers['access-control-allow-headers']);
      const exposed = wordsOf(error.headers['access-control-expose-headers']);
      const { paths, components } = (await open.app.inject({ url: '/openapi.json' })).json() as Described;
      const items = Object.values(paths).flatMap(({ servers: _, ...methods }) => Object.entries(methods));
      const sent = items.flatMap(([, { parameters }]) => parameters ?? []).filter((each) => each.in === 'header');
      const names = [...sent.map(({ name }) => name), components.securitySchemes.ApiKey.name, 'Content-Type'];
      expect(names).toContain('Last-Event-ID');
      expect(names.filter((name) => !allowed.includes(name.toLowerCase()))).toEqual([]);
      const methods = new Set(items.map(([method]) => method));
      expect(
        [...methods].filter((method) => !wordsOf(headers['access-control-allow-methods']).includes(method)),
      ).toEqual([]);

      const answers = [
        ...items.flatMap(([, { responses }]) => Object.values(responses)),
        ...Object.values(components.responses),
      ];
      const got = new Set(answers.flatMap((answer) => Object.keys(answer.headers ?? {})));
      expect([...got]).toEqual(
        expect.arrayContaining(['ETag', 'Link', 'RateLimit', 'Retry-After', 'Idempotent-Replay']),
      );
      // A page may always read the first, and browsers act on the other themselves.
      const free = ['content-language', 'vary'];
      expect([...got].filter((name) => ![...exposed, ...free].includes(name.toLowerCase()))).toEqual([]);
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
    created_at: '2027-01-31T09:00:00.000Z',
    updated_at: '2027-01-31T09:00:00.000Z',
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
