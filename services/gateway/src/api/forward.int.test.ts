import { AppError } from '@mostrador/kit/rpc/errors';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { api, createClient, expectProblem, json } from '../../test/client.ts';
import { publicUrl, startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { appointmentBody, appointmentId, serveScheduling } from '../../test/scheduling.ts';

let gateway: TestGateway;
let scheduling: Awaited<ReturnType<typeof serveScheduling>>;
let storeId: string;
let send: ReturnType<typeof createClient>['send'];
let post: ReturnType<typeof createClient>['post'];

beforeAll(async () => {
  gateway = await startTestGateway();
  scheduling = await serveScheduling(gateway);
  const { apiKey, store } = await gateway.newStore();
  storeId = store.id;
  ({ send, post } = createClient(gateway, apiKey));
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  scheduling.asked.length = 0;
  scheduling.before.answer = undefined;
});

test('a request reaches the service with store, request id and deadline, and its answer becomes a 201', async () => {
  const answer = await post(appointmentBody, { 'x-request-id': 'order-77', 'idempotency-key': '"k-1"' });
  expect(answer.statusCode).toBe(201);
  expect(answer.json()).toMatchObject({ id: appointmentId, store_id: storeId, status: 'scheduled' });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'order-77',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    etag: '"v1"',
    'ratelimit-policy': '"default";q=6000;w=60',
    ratelimit: expect.stringMatching(/^"default";r=\d+;t=\d+$/),
  });
  const { context, request } = scheduling.asked[0] ?? {};
  expect(context).toMatchObject({
    storeId,
    requestId: 'order-77',
    idempotency: { key: 'k-1', scope: 'POST /appointments', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(context?.deadline).toBeGreaterThan(Date.now());
  expect(request).toEqual({ body: appointmentBody });
});

test('a replay has Idempotent-Replay and the status of the first response', async () => {
  const answer = await post(appointmentBody, { 'idempotency-key': 'again' });
  expect(answer.statusCode).toBe(201);
  expect(answer.headers['idempotent-replay']).toBe('true');
  expect((await post(appointmentBody, { 'idempotency-key': 'new' })).headers).not.toHaveProperty('idempotent-replay');
});

test('PATCH and DELETE forward the Idempotency-Key with method and concrete path, and GET forwards none', async () => {
  const headers = { 'idempotency-key': 'k', 'if-match': '"v1"' };
  const appointment = `/appointments/${appointmentId}`;
  await send(`${api}${appointment}`, { method: 'PATCH', payload: { title: 'B' }, headers });
  await send(`${api}/followups/scheduled/${appointmentId}`, { method: 'DELETE', headers });
  await send(`${api}${appointment}`, { headers: { 'idempotency-key': 'k' } });
  const [patched, deleted, read] = scheduling.asked.map(({ context }) => context);
  const fingerprint = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(patched?.idempotency).toEqual({ key: 'k', scope: `PATCH ${appointment}`, fingerprint });
  expect(patched?.ifMatch).toBe('"v1"');
  const scope = `DELETE /followups/scheduled/${appointmentId}`;
  expect(deleted).toMatchObject({ idempotency: { key: 'k', scope, fingerprint }, ifMatch: '"v1"' });
  expect(read?.idempotency).toBeUndefined();
});

test('an invalid Idempotency-Key of a PATCH gets 400', async () => {
  const headers = { 'idempotency-key': 'k'.repeat(256) };
  const answer = await send(`${api}/appointments/${appointmentId}`, {
    method: 'PATCH',
    payload: { title: 'B' },
    headers,
  });
  expect(expectProblem(answer, 400, 'validation_failed').errors).toMatchObject([
    { in: 'header', name: 'Idempotency-Key' },
  ]);
  expect(scheduling.asked).toEqual([]);
});

test('the fingerprint ignores the order of members and is computed before defaults and trimming', async () => {
  await post('{"title":"A","scheduled_at":"2027-01-31T09:00:00Z"}', { ...json, 'idempotency-key': 'k' });
  await post('{ "scheduled_at": "2027-01-31T09:00:00Z",\n "title":"A" }', { ...json, 'idempotency-key': 'k' });
  await post('{"title":" A","scheduled_at":"2027-01-31T09:00:00Z"}', { ...json, 'idempotency-key': 'k' });
  const [first, reordered, padded] = scheduling.asked.map(({ context }) => context.idempotency?.fingerprint);
  expect(reordered).toBe(first);
  expect(padded).not.toBe(first);
});

test('HEAD gets the headers of GET without the body', async () => {
  const answer = await send(`${api}/appointments/${appointmentId}`, { method: 'HEAD' });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toBe('');
  expect(answer.headers.etag).toBe('"v1"');
  expect(Number(answer.headers['content-length'])).toBeGreaterThan(100);
});

test.each(['"v1"', 'W/"v1"', '"v0", "v1"', '*'])('If-None-Match: %s gets 304', async (tag) => {
  const answer = await send(`${api}/appointments/${appointmentId}`, { headers: { 'if-none-match': tag } });
  expect(answer.statusCode).toBe(304);
  expect(answer.body).toBe('');
  expect(answer.headers.etag).toBe('"v1"');
});

test('PATCH accepts JSON and merge-patch JSON, and forwards If-Match', async () => {
  for (const type of ['application/json', 'application/merge-patch+json']) {
    const headers = { 'if-match': '"v1"', 'content-type': type };
    const answer = await send(`${api}/appointments/${appointmentId}`, {
      method: 'PATCH',
      payload: '{"title":"B"}',
      headers,
    });
    expect(answer.statusCode).toBe(200);
  }
  expect(scheduling.asked.map(({ context }) => context.ifMatch)).toEqual(['"v1"', '"v1"']);
});

test('a precondition that an operation does not check is rejected, and the service gets no request', async () => {
  const one = `${api}/appointments/${appointmentId}`;
  const rejected = async (method: 'GET' | 'POST' | 'PATCH', url: string, header: string, value: string) => {
    const payload = method === 'PATCH' ? { title: 'B' } : method === 'POST' ? appointmentBody : undefined;
    const answer = await send(url, { method, payload, headers: { [header.toLowerCase()]: value } });
    const problem = expectProblem(answer, 400, 'validation_failed');
    expect(problem.errors).toEqual([{ in: 'header', name: header, detail: 'is not supported by this operation' }]);
    expect(problem.detail).toBe(`header ${header} is not supported by this operation.`);
  };
  await rejected('GET', one, 'If-Match', '"v1"');
  await rejected('POST', `${api}/appointments`, 'If-Match', '*');
  await rejected('POST', `${api}/appointments`, 'If-None-Match', '*');
  await rejected('PATCH', one, 'If-None-Match', '"v1"');
  expect(scheduling.asked).toEqual([]);
  const list = await send(`${api}/appointments`, { headers: { 'if-none-match': '*' } });
  expect(list.statusCode).toBe(200);
});

test('the link to the next page of a list keeps the query and replaces the page with the cursor', async () => {
  const answer = await send(`${api}/appointments?page=1&limit=2&status=scheduled`);
  expect(answer.headers.link).toBe(
    `<${publicUrl}${api}/appointments?limit=2&status=scheduled&cursor=abc%2B%2F%3D>; rel="next"`,
  );
  expect(scheduling.asked[0]?.request).toEqual({
    query: { page: 1, limit: 2, status: 'scheduled', sort: 'scheduled_at' },
  });
});

test.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
  '%s is accepted as JSON',
  async (type) => {
    const answer = await post(JSON.stringify(appointmentBody), { 'content-type': type });
    expect(answer.statusCode).toBe(201);
  },
);

test('a GET with a JSON Content-Type and no body is accepted', async () => {
  const answer = await send(`${api}/appointments/${appointmentId}`, { headers: json });
  expect(answer.statusCode).toBe(200);
});

test.each(['', 'a b', 'x'.repeat(129), '<script>', 'é'])('the unsafe request id %j is replaced', async (requestId) => {
  const answer = await send(`${api}/appointments/${appointmentId}`, { headers: { 'x-request-id': requestId } });
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test("a service's error reaches the caller with its members and Retry-After", async () => {
  scheduling.before.answer = async () => {
    throw new AppError('idempotency_in_progress', { retryAfterSeconds: 3, members: { hint: 'x', code: 'y' } });
  };
  const answer = await post(appointmentBody);
  expect(expectProblem(answer, 409, 'idempotency_in_progress').hint).toBe('x');
  expect(answer.headers['retry-after']).toBe('3');
});

test('an unexpected error of a service gets 500 and reveals no detail', async () => {
  scheduling.before.answer = async () => {
    throw new Error('select secret from hidden');
  };
  const answer = await post(appointmentBody);
  expectProblem(answer, 500, 'internal_error');
  expect(answer.body).not.toMatch(/secret|hidden|stack/);
});

test('a request to a service that is down gets 503 with Retry-After', async () => {
  const answer = await send(`${api}/leads/${appointmentId}`);
  expectProblem(answer, 503, 'service_unavailable');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
});

test('a request that times out gets 504, because its outcome is unknown', async () => {
  const hasty = await startTestGateway({ requestTimeoutMs: 500 });
  const { before } = await serveScheduling(hasty);
  before.answer = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new AppError('upstream_timeout')));
    });
  const { apiKey } = await hasty.newStore();
  expectProblem(await createClient(hasty, apiKey).post(appointmentBody), 504, 'upstream_timeout');
  await hasty.stop();
});

test('without NATS a request gets 503 at once, and works again when NATS is back', async () => {
  await gateway.nats.stopServer();
  await waitFor(async () => (await post(appointmentBody)).statusCode === 503, { description: 'NATS is down' });
  // A request that waited for its deadline would get 504.
  expectProblem(await post(appointmentBody), 503, 'service_unavailable');
  await gateway.nats.startServer();
  await waitFor(async () => (await post(appointmentBody)).statusCode === 201, { description: 'NATS is back' });
});
