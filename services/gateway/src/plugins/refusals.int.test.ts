import type { Scope } from '@mostrador/contracts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { api, createClient, expectProblem } from '../../test/client.ts';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { appointmentBody, appointmentId, serveScheduling } from '../../test/scheduling.ts';

let gateway: TestGateway;
let scheduling: Awaited<ReturnType<typeof serveScheduling>>;
let apiKey: string;
let send: ReturnType<typeof createClient>['send'];

beforeAll(async () => {
  gateway = await startTestGateway();
  scheduling = await serveScheduling(gateway);
  ({ apiKey } = await gateway.newStore());
  ({ send } = createClient(gateway, apiKey));
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  scheduling.asked.length = 0;
  scheduling.before.answer = undefined;
});

test('a request without a key gets 401 with WWW-Authenticate', async () => {
  for (const headers of [{} as Record<string, string>, { 'x-api-key': '' }]) {
    const answer = await send(`${api}/store`, { key: null, headers });
    expectProblem(answer, 401, 'missing_api_key');
    expect(answer.headers['www-authenticate']).toBe('ApiKey realm="mostrador"');
    expect(answer.headers).not.toHaveProperty('ratelimit');
  }
});

test('an unknown key, a malformed key and a wrong secret get the same 401', async () => {
  const wrongSecret = `${apiKey.slice(0, -1)}${apiKey.endsWith('a') ? 'b' : 'a'}`;
  const unknown = `mk_live_${'z'.repeat(16)}_${'z'.repeat(43)}`;
  const problems = await Promise.all(
    [wrongSecret, unknown, 'nonsense', `${apiKey} `.repeat(2).trim()].map(async (key) => {
      const answer = await send(`${api}/store`, { key });
      expect(answer.headers['www-authenticate']).toBe('ApiKey realm="mostrador"');
      const { request_id: _, ...problem } = expectProblem(answer, 401, 'invalid_api_key');
      return problem;
    }),
  );
  expect(new Set(problems.map((problem) => JSON.stringify(problem))).size).toBe(1);
});

test('two X-API-Key headers get 401 with the reason', async () => {
  const answer = await send(`${api}/store`, { key: null, headers: { 'x-api-key': [apiKey, apiKey] } });
  expect(expectProblem(answer, 401, 'invalid_api_key').detail).toContain('more than one');
});

test('a request above the rate gets 429 with Retry-After, and every response has the rate headers', async () => {
  const { apiKey: key } = await gateway.newStore({ rate_limit: 2 });
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await send(`${api}/appointments/${appointmentId}`, { key }));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
  const rates = answers.map(({ headers }) => /^"default";r=(\d);t=(\d+)$/.exec(String(headers.ratelimit)) ?? []);
  expect(rates.map(([, remaining]) => remaining)).toEqual(['1', '0', '0']);
  // Seconds until the quota is full again: a request costs 30. Less when the machine stood still meanwhile.
  for (const [index, seconds] of [30, 60, 60].entries()) {
    expect(Number(rates[index]?.[2])).toBeLessThanOrEqual(seconds);
    expect(Number(rates[index]?.[2])).toBeGreaterThan(seconds - 25);
  }
  const last = answers[2] as (typeof answers)[0];
  expectProblem(last, 429, 'quota_exceeded');
  expect(last.headers['ratelimit-policy']).toBe('"default";q=2;w=60');
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
});

test.each([
  ['free', 60],
  ['starter', 300],
  ['pro', 6000],
  ['enterprise', 60_000],
] as const)('a store of tier %s has %i requests a minute', async (tier, rate) => {
  const { apiKey: key } = await gateway.newStore({ tier });
  const answer = await send(`${api}/appointments/${appointmentId}`, { key });
  expect(answer.headers['ratelimit-policy']).toBe(`"default";q=${rate};w=60`);
});

test('an unknown path gets 404, below the prefix only with a key', async () => {
  for (const path of [
    '/nothing',
    '',
    '/',
    '/appointments/',
    `/appointments/${appointmentId}/nothing`,
    '/Appointments',
  ]) {
    expectProblem(await send(`${api}${path}`, { key: null }), 401, 'missing_api_key');
    expectProblem(await send(`${api}${path}`), 404, 'route_not_found');
  }
  for (const path of ['/', '/nothing', '/integrations', '/integrations/v10', '/integrations/v2/store']) {
    expectProblem(await send(path, { key: null }), 404, 'route_not_found');
  }
});

test.each(['DELETE', 'PUT', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'PATCH'])(
  '%s on an existing path gets 405 with the methods of the path',
  async (method) => {
    const answer = await send(`${api}/appointments`, { method });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS, POST');
    expectProblem(await send(`${api}/appointments`, { method, key: null }), 401, 'missing_api_key');
    expectProblem(await send(`${api}/nothing`, { method }), 404, 'route_not_found');
  },
);

test.each([
  [`${api}/appointments`, 'GET, HEAD, OPTIONS, POST'],
  [`${api}/appointments/${appointmentId}`, 'GET, HEAD, OPTIONS, PATCH'],
  [`${api}/agents/select`, 'OPTIONS, POST'],
  ['/healthz', 'GET, HEAD, OPTIONS'],
])('OPTIONS of %s gets 204 with the methods, and needs no key', async (path, allow) => {
  const answer = await send(path, { method: 'OPTIONS', key: null });
  expect([answer.statusCode, answer.headers.allow, answer.body]).toEqual([204, allow, '']);
});

test('OPTIONS of an unknown path gets 404, below the prefix only with a key', async () => {
  expectProblem(await send('/nothing', { method: 'OPTIONS', key: null }), 404, 'route_not_found');
  expectProblem(await send(`${api}/nothing`, { method: 'OPTIONS', key: null }), 401, 'missing_api_key');
  expectProblem(await send(`${api}/nothing`, { method: 'OPTIONS' }), 404, 'route_not_found');
});

test.each([
  ['GET', '/appointments/', '/appointments'],
  ['POST', '/appointments//?limit=1', '/appointments'],
  ['PATCH', `/appointments/${appointmentId}/`, '/appointments/{appointmentId}'],
])('%s %s gets 404, and the detail has the path without the slash', async (method, path, right) => {
  const { detail } = expectProblem(await send(`${api}${path}`, { method }), 404, 'route_not_found');
  expect(detail).toBe(`The path ends in a slash. Use \`${api}${right}\`.`);
});

test('a slash after an unknown path gets the general detail', async () => {
  const { detail } = expectProblem(await send(`${api}/nothing/`), 404, 'route_not_found');
  expect(detail).toBe('No route has this path. Check the path.');
});

test('outside the prefix a wrong method gets 405 without a key', async () => {
  const answer = await send('/healthz', { method: 'POST', key: null });
  expectProblem(answer, 405, 'method_not_allowed');
  expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
});

test('a store of too low a tier gets 403, which names the required tier', async () => {
  const { apiKey: key } = await gateway.newStore({ tier: 'free' });
  const answer = await send(`${api}/appointments`, { method: 'POST', payload: appointmentBody, key });
  expect(expectProblem(answer, 403, 'tier_required').required_tier).toBe('starter');
  expect(scheduling.asked).toHaveLength(0);
});

test.each([
  ['POST', '/appointments', 'appointments:write'],
  ['GET', '/appointments', 'appointments:read'],
  ['PATCH', `/appointments/${appointmentId}`, 'appointments:write'],
  ['GET', `/leads/${appointmentId}`, 'leads:read'],
  ['POST', '/sellers', 'sellers:write'],
  ['GET', '/store', 'store:read'],
])('%s %s without the scope %s gets 403, which names it', async (method, path, scope) => {
  const others: Scope[] = ['appointments:read', 'appointments:write', 'leads:write', 'sellers:read'];
  const scopes = others.filter((each) => each !== scope);
  const { apiKey: key } = await gateway.newStore({ scopes });
  const answer = await send(`${api}${path}`, { method, key });
  expect(expectProblem(answer, 403, 'scope_required').required_scope).toBe(scope);
});

test('errors come in the order 401, 429, 404 and 405, 403, all of them before the body is parsed', async () => {
  const { apiKey: free } = await gateway.newStore({ tier: 'free' });
  const bad = { payload: 'not JSON', headers: { 'content-type': 'text/plain' } };
  expectProblem(await send(`${api}/nothing`, { ...bad, method: 'POST', key: null }), 401, 'missing_api_key');
  expectProblem(await send(`${api}/nothing`, { ...bad, method: 'POST', key: free }), 404, 'route_not_found');
  expectProblem(await send(`${api}/appointments`, { ...bad, method: 'PUT', key: free }), 405, 'method_not_allowed');
  expectProblem(await send(`${api}/appointments`, { ...bad, method: 'POST', key: free }), 403, 'tier_required');
  expectProblem(await send(`${api}/appointments`, { ...bad, method: 'POST' }), 415, 'unsupported_media_type');

  const { apiKey: limited } = await gateway.newStore({ tier: 'free', rate_limit: 1 });
  await send(`${api}/store`, { key: limited });
  for (const path of ['/nothing', '/appointments']) {
    expectProblem(await send(`${api}${path}`, { ...bad, method: 'POST', key: limited }), 429, 'quota_exceeded');
  }
});
