import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, json, problem, serve as serveAnswers } from '../test/server.ts';
import { bindRoutes, type ClientOptions, type Routes, senderOf } from './client.ts';
import { ConnectionError, ProblemError } from './problem.ts';

const apiKey = 'mk_live_secret0secret';
const routes = {
  leads: {
    create: { method: 'POST', path: '/leads', input: 'body' },
    list: { method: 'GET', path: '/leads', input: 'query' },
    get: { method: 'GET', path: '/leads/{leadId}', input: 'query' },
    update: { method: 'PATCH', path: '/leads/{leadId}', input: 'body' },
    upsert: { method: 'PUT', path: '/leads/by-phone/{phone}', input: 'body' },
  },
  sessions: { close: { method: 'POST', path: '/leads/{leadId}/sessions/{sessionId}/close', input: 'query' } },
} as const satisfies Routes;

async function serve(...answers: Answer[]) {
  const server = await serveAnswers(...answers);
  // biome-ignore lint/suspicious/noExplicitAny: the types belong to the generated routes
  const client = (options: Partial<ClientOptions> = {}): any =>
    bindRoutes(routes, senderOf({ baseUrl: `${server.origin}/v1`, apiKey, ...options }));
  return { ...server, client };
}

const lead = { id: 'one', name: 'Ana' };
const created = json(201, lead);
const failure = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.fail('the call succeeded'),
    (error) => error,
  );

describe('requests', () => {
  test('the input becomes path, query and body, and the key a header', async () => {
    const { received, client } = await serve(created);
    await client().leads.list({ status: ['pending', 'in_progress'], email: 'a+b@c.de', limit: undefined });
    await client().leads.update({ leadId: 'a/b c', name: 'Ana', seller_id: null }, { ifMatch: '"7"' });
    await client().sessions.close({ leadId: 'one', sessionId: 'two' });
    await client().leads.create({});
    await client().leads.upsert({ phone: '5511961234567', name: 'Ana' }, { ifNoneMatch: '*' });
    expect(received).toMatchObject([
      { method: 'GET', url: '/v1/leads?status=pending,in_progress&email=a%2Bb%40c.de', body: '' },
      { method: 'PATCH', url: '/v1/leads/a%2Fb%20c', body: '{"name":"Ana","seller_id":null}' },
      { method: 'POST', url: '/v1/leads/one/sessions/two/close', body: '' },
      { method: 'POST', url: '/v1/leads', body: '{}' },
      { method: 'PUT', url: '/v1/leads/by-phone/5511961234567', body: '{"name":"Ana"}' },
    ]);
    expect(received.map(({ headers }) => headers['x-api-key'])).toEqual(Array(5).fill(apiKey));
    expect(received[1]?.headers).toMatchObject({ 'if-match': '"7"', 'content-type': 'application/json' });
    expect(received[2]?.headers).not.toHaveProperty('content-type');
    expect(received[4]?.headers).toMatchObject({ 'if-none-match': '*' });
    expect(received[1]?.headers).not.toHaveProperty('if-none-match');
  });

  test('an empty id never becomes the address of the list', async () => {
    const { received, client } = await serve(created);
    for (const leadId of ['', undefined]) expect(() => client().leads.get({ leadId })).toThrow('`leadId`');
    expect(received).toEqual([]);
  });

  test('JSON is parsed, other text is not, and the response has the headers', async () => {
    const csv: Answer = (response) => response.writeHead(200, { 'content-type': 'text/csv', etag: '"1"' }).end('a;b');
    const { client } = await serve(created, csv);
    expect(await client().leads.get({ leadId: 'one' })).toEqual(lead);
    const { data, response } = await client().leads.get({ leadId: 'one' }).withResponse();
    expect([data, response.status, response.headers.get('etag')]).toEqual(['a;b', 200, '"1"']);
  });
});

describe('idempotency keys', () => {
  test('each write gets its own key, and a read none', async () => {
    const { received, client } = await serve(created);
    await client().leads.create(lead);
    await client().leads.create(lead);
    await client().leads.get({ leadId: 'one' });
    const [one, other, read] = received.map(({ headers }) => headers['idempotency-key']);
    expect(one).toMatch(/^[0-9a-f-]{36}$/);
    expect(other).not.toBe(one);
    expect(read).toBeUndefined();
  });

  test('all retries of a call have the same key and body', async () => {
    const { received, client } = await serve(
      problem(503, 'service_unavailable'),
      problem(504, 'upstream_timeout'),
      created,
    );
    expect(await client().leads.create(lead)).toEqual(lead);
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([lead, lead, lead]);
  });

  test("the caller's key is used, and an error names the key", async () => {
    const { received, client } = await serve(problem(422, 'idempotency_key_reused'));
    const error = await failure(client().leads.create(lead, { idempotencyKey: 'order-1' }));
    expect(received[0]?.headers['idempotency-key']).toBe('order-1');
    expect(error).toMatchObject({ code: 'idempotency_key_reused', idempotencyKey: 'order-1' });
  });
});

describe('retries', () => {
  test('the next attempt waits for Retry-After', async () => {
    const times: number[] = [];
    const timed =
      (answer: Answer): Answer =>
      (...exchange) => {
        times.push(performance.now());
        answer(...exchange);
      };
    const { client } = await serve(timed(problem(429, 'quota_exceeded', { 'retry-after': '1' })), timed(created));
    await client().leads.get({ leadId: 'one' });
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(995);
  });

  test('a Retry-After beyond the deadline fails at once', async () => {
    const { received, client } = await serve(problem(503, 'service_unavailable', { 'retry-after': '120' }));
    expect(await failure(client().leads.create(lead))).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(received).toHaveLength(1);
  });

  test('a broken connection is retried, also in the middle of the body', async () => {
    const { received, client } = await serve(
      (response) => response.destroy(),
      (response) => response.writeHead(201, { 'content-length': '100' }).write('{"id"', () => response.destroy()),
      created,
    );
    expect(await client().leads.create(lead)).toEqual(lead);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('after the last retry the error says what happened', async () => {
    const broken = await serve((response) => response.destroy());
    const error = await failure(broken.client({ maxRetries: 1 }).leads.create(lead));
    expect(broken.received).toHaveLength(2);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      message: 'POST /v1/leads failed: the connection broke or could not be made.',
      idempotencyKey: broken.received[0]?.headers['idempotency-key'],
    });
    const down = await serve(problem(503, 'service_unavailable', {}, { missing: ['crm'] }));
    const last = await failure(down.client().leads.get({ leadId: 'one' }, { maxRetries: 0 }));
    expect(last).toBeInstanceOf(ProblemError);
    expect(last).toMatchObject({ problem: { missing: ['crm'] }, request_id: 'r-1' });
    expect(down.received).toHaveLength(1);
  });

  test('what cannot succeed is not retried', async () => {
    for (const [status, code] of [
      [400, 'validation_failed'],
      [409, 'lead_exists'],
      [422, 'seller_inactive'],
    ] as const) {
      const { received, client } = await serve(problem(status, code));
      expect(await failure(client().leads.create(lead))).toMatchObject({ code });
      expect(received).toHaveLength(1);
    }
  });

  test('a request that is still running elsewhere is retried', async () => {
    const { client } = await serve(problem(409, 'idempotency_in_progress', { 'retry-after': '1' }), created);
    expect(await client().leads.create(lead)).toEqual(lead);
  });

  test('an attempt without an answer ends after its time, and the next one may succeed', async () => {
    const { received, client } = await serve(() => {}, created);
    expect(await client({ attemptTimeoutMs: 200 }).leads.create(lead)).toEqual(lead);
    // A machine that stands still can make the second attempt late, too.
    expect(received.length).toBeGreaterThanOrEqual(2);
  });

  test('a call ends after its time, whatever retries are left', async () => {
    const { client } = await serve(() => {});
    const error = await failure(
      client({ timeoutMs: 400, attemptTimeoutMs: 60_000, maxRetries: 100 }).leads.create(lead),
    );
    expect((error as Error).message).toBe('POST /v1/leads had no answer in time.');
  });
});

describe('signals', () => {
  test.each([
    ['an attempt', () => {}],
    ['the wait for a retry', problem(503, 'service_unavailable', { 'retry-after': '30' })],
  ])('a signal ends %s at once', async (_, answer: Answer) => {
    const { received, client } = await serve(answer);
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const call = failure(client().leads.create(lead, { signal: controller.signal }));
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => controller.abort(reason), 50);
    expect(await call).toBe(reason);
    expect(received).toHaveLength(1);
  });

  test('a signal that has already ended sends nothing', async () => {
    const { received, client } = await serve(created);
    const error = await failure(client().leads.create(lead, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(received).toEqual([]);
  });
});

describe('lists', () => {
  const page = (ids: string[], next?: string): Answer =>
    json(200, { data: ids.map((id) => ({ id })), total: 3 }, next ? { link: `<${next}>; rel="next"` } : {});

  test('for await meets each element of each page, and follows the query of the link unchanged', async () => {
    const next = 'https://other.example.com/v1/leads?limit=2&status=pending%2Clost&cursor=a%2Bb%3D';
    const { received, client } = await serve(page(['1', '2'], next), page(['3']));
    const ids = [];
    for await (const { id } of client().leads.list({ status: ['pending', 'lost'], limit: 2 })) ids.push(id);
    expect(ids).toEqual(['1', '2', '3']);
    expect(received.map(({ url }) => url)).toEqual([
      '/v1/leads?status=pending,lost&limit=2',
      '/v1/leads?limit=2&status=pending%2Clost&cursor=a%2Bb%3D',
    ]);
  });

  test('a loop that ends early requests no further page', async () => {
    const { received, client } = await serve(page(['1', '2'], 'https://api.example.com/v1/leads?cursor=x'));
    for await (const { id } of client().leads.list()) if (id === '2') break;
    expect(received).toHaveLength(1);
  });

  test('pages() gives the pages, and a failed page is retried', async () => {
    const next = 'https://api.example.com/v1/leads?cursor=x';
    const { client } = await serve(page(['1'], next), problem(503, 'service_unavailable'), page(['2']));
    const sizes = [];
    for await (const { data, total } of client().leads.list().pages()) sizes.push([data.length, total]);
    expect(sizes).toEqual([
      [1, 3],
      [1, 3],
    ]);
  });

  test('what is no list cannot be iterated', async () => {
    const { client } = await serve(created);
    const iterate = async () => {
      for await (const _ of client().leads.get({ leadId: 'one' }));
    };
    await expect(iterate()).rejects.toThrow(TypeError);
  });
});

describe('the key', () => {
  test('is in no error', async () => {
    const broken = await serve((response) => response.destroy());
    const refused = await serve(problem(401, 'invalid_api_key'));
    for (const { client } of [broken, refused]) {
      const error = await failure(client({ maxRetries: 0 }).leads.create(lead));
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(apiKey);
      expect(inspect(client(), { depth: 10, showHidden: true })).not.toContain(apiKey);
    }
  });

  test('a key that is no header value is refused without being repeated', async () => {
    const { client } = await serve(created);
    for (const wrong of [`${apiKey}\n`, '', 'clé']) {
      expect(() => client({ apiKey: wrong })).toThrow(new TypeError('`apiKey` must be printable ASCII characters.'));
    }
  });

  test('goes to no other address: a redirect is an error', async () => {
    const other = await serve(created);
    const { client } = await serve((response) =>
      response.writeHead(307, { location: `${other.origin}/v1/leads` }).end(),
    );
    expect(await failure(client().leads.create(lead))).toMatchObject({ code: 'unexpected_response', status: 307 });
    expect(other.received).toEqual([]);
  });

  test('the base URL has no credentials, and is http or https', async () => {
    const { client } = await serve(created);
    for (const baseUrl of ['http://user:secret@example.com', 'ftp://example.com'])
      expect(() => client({ baseUrl })).toThrow('`baseUrl` must be an http(s) URL without credentials.');
  });
});

test("a proxy's error page is an error with its status", async () => {
  const { client } = await serve((response) =>
    response.writeHead(404, { 'x-request-id': 'p-1' }).end('<h1>Not found</h1>'),
  );
  const error = await failure(client().leads.get({ leadId: 'one' }));
  expect(error).toMatchObject({ code: 'unexpected_response', status: 404, request_id: 'p-1' });
});

test('a failed call whose only use is withResponse leaves no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const { client } = await serve(problem(404, 'lead_not_found'));
  expect(await failure(client().leads.get({ leadId: 'one' }).withResponse())).toMatchObject({ code: 'lead_not_found' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unhandled).toEqual([]);
});
