import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { addresses, admin, eventually, gatewayUrl, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

type Store = Awaited<ReturnType<typeof newStore>>;
let store: Store;
let appointment: { id: string };
const body = { title: 'Exame', scheduled_at: '2027-01-31T09:00:00Z' };
const post = (path: string, options: Parameters<typeof request>[2] = {}) =>
  request('POST', path, { key: store.key, ...options });

beforeAll(async () => {
  store = await newStore();
  appointment = (await post('/appointments', { body })).body;
});

describe('authentication', () => {
  test('a missing, unknown, revoked or expired key gets 401 with www-authenticate', async () => {
    const [revoked, expired] = await Promise.all([
      admin(['key', 'create', '--store', store.id, '--name', 'revoked']),
      admin([
        'key',
        'create',
        '--store',
        store.id,
        '--name',
        'expired',
        '--expires',
        new Date(Date.now() + 10_000).toISOString(),
      ]),
    ]);
    expect((await request('GET', '/store', { key: expired.api_key })).status).toBe(200);
    await admin(['key', 'revoke', '--key', revoked.key.id]);
    const refused = ({ status }: { status: number }) => status === 401;
    const answers = [
      await eventually(() => request('GET', '/store', { key: revoked.api_key }), refused, 2_000),
      await eventually(() => request('GET', '/store', { key: expired.api_key }), refused, 15_000),
      await request('GET', '/store', { key: `${store.key}x` }),
      await request('GET', '/store', { key: 'hunter2' }),
    ];
    for (const answer of answers) {
      expectProblem(answer, 'invalid_api_key');
      expect(answer.headers.get('www-authenticate')).toBe('ApiKey realm="mostrador"');
    }
    const missing = await request('GET', '/store');
    expectProblem(missing, 'missing_api_key');
    expect(missing.headers.get('www-authenticate')).toBe('ApiKey realm="mostrador"');
  });

  test('a request over the rate limit gets 429 with retry-after, and ratelimit headers count down to it', async () => {
    const small = await newStore({ arguments: ['--rate-limit', '3'] });
    const ask = () => request('GET', '/store', { key: small.key });
    const first = await ask();
    const others = [await ask(), await ask()];
    const refused = await ask();
    expect([first, ...others, refused].map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=2;t=\d+$/);
    expectProblem(refused, 'quota_exceeded');
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('a missing key is reported before any other error', async () => {
    expectProblem(await request('GET', '/nowhere'), 'missing_api_key');
    expectProblem(await request('POST', '/appointments', { body: '{' }), 'missing_api_key');
  });
});

describe('a wrong request', () => {
  test('with an unknown route gets 404, within and outside the prefix', async () => {
    expectProblem(await request('GET', '/nowhere', { key: store.key }), 'route_not_found');
    const outside = await fetch(`${gatewayUrl}/nowhere`);
    expect([outside.status, outside.headers.get('content-type')]).toEqual([
      404,
      expect.stringMatching(/^application\/problem\+json/),
    ]);
  });

  test('with an unknown method gets 405 with the allowed methods', async () => {
    const answer = await request('DELETE', `/appointments/${appointment.id}`, { key: store.key });
    expectProblem(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')?.split(/, ?/).sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'PATCH']);
  });

  test('is rejected when its body is over 256 KiB, not JSON, or of another media type', async () => {
    expectProblem(await post('/appointments', { body: { ...body, notes: 'x'.repeat(256 * 1024) } }), 'body_too_large');
    expectProblem(
      await post('/appointments', { body: 'title=Exame', headers: { 'content-type': 'text/plain' } }),
      'unsupported_media_type',
    );
    for (const broken of ['{', '{"title": }', '{"a":1}}']) {
      expectProblem(await post('/appointments', { body: broken }), 'malformed_json');
    }
  });

  test('gets every error of its body at once, each with a pointer', async () => {
    const answer = await post('/appointments', {
      body: {
        title: '   ',
        scheduled_at: '2027-02-30T09:00:00Z',
        duration_minutes: '60',
        lead_id: 'ana',
        colour: 'red',
      },
    });
    const { errors } = expectProblem(answer, 'validation_failed');
    const pointers = errors.map(({ pointer }: { pointer: string }) => pointer).sort();
    expect(pointers).toEqual(['#/colour', '#/duration_minutes', '#/lead_id', '#/scheduled_at', '#/title']);
  });

  test.each([
    ['empty', {}, ['#/scheduled_at', '#/title']],
    ['a list', [], ['#']],
    ['a title with a NUL', { ...body, title: 'a\u0000b' }, ['#/title']],
    ['a title of 201 characters', { ...body, title: 'x'.repeat(201) }, ['#/title']],
    ['notes of 5,001 characters', { ...body, notes: 'x'.repeat(5001) }, ['#/notes']],
    ['0 minutes', { ...body, duration_minutes: 0 }, ['#/duration_minutes']],
    ['1,441 minutes', { ...body, duration_minutes: 1441 }, ['#/duration_minutes']],
    ['60.5 minutes', { ...body, duration_minutes: 60.5 }, ['#/duration_minutes']],
    ['a time without an offset', { ...body, scheduled_at: '2027-01-31T09:00:00' }, ['#/scheduled_at']],
  ])('with a wrong body (%s) is rejected with a pointer to the error', async (_what, sent, pointers) => {
    const { errors } = expectProblem(await post('/appointments', { body: sent }), 'validation_failed');
    expect(errors.map(({ pointer }: { pointer: string }) => pointer.replace(/\/$/, '')).sort()).toEqual(pointers);
  });

  test.each([
    ['an id that is not a UUID', '/appointments/7', { in: 'path', name: 'appointmentId' }],
    ['a page size over 200', '/appointments?limit=201', { in: 'query', name: 'limit' }],
    ['a page size that is not a number', '/appointments?limit=ten', { in: 'query', name: 'limit' }],
    ['page 0', '/appointments?page=0', { in: 'query', name: 'page' }],
    ['an unknown query parameter', '/appointments?colour=red', { in: 'query', name: 'colour' }],
    ['a status that does not exist', '/appointments?status=maybe', { in: 'query', name: 'status' }],
    ['an unknown cursor', '/appointments?cursor=abc', { in: 'query', name: 'cursor' }],
  ])('with a wrong parameter (%s) is rejected with the name of the parameter', async (_what, path, fault) => {
    const { errors } = expectProblem(await request('GET', path, { key: store.key }), 'validation_failed');
    expect(errors).toEqual([{ ...fault, detail: expect.any(String) }]);
  });

  test('with an empty change is rejected', async () => {
    const answer = await request('PATCH', `/appointments/${appointment.id}`, { key: store.key, body: {} });
    expectProblem(answer, 'validation_failed');
  });

  test('with an idempotency key of 256 characters is rejected', async () => {
    const answer = await post('/appointments', { body, headers: { 'idempotency-key': 'k'.repeat(256) } });
    expect(expectProblem(answer, 'validation_failed').errors).toMatchObject([
      { in: 'header', name: expect.stringMatching(/^idempotency-key$/i) },
    ]);
  });

  test('that is not valid HTTP still gets a problem document', async () => {
    const { hostname, port } = new URL(gatewayUrl);
    const answers = await Promise.all(
      ['NONSENSE\r\n\r\n', `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`].map((sent) => {
        const socket = connect(Number(port), hostname);
        socket.write(sent);
        return text(socket);
      }),
    );
    expect(answers[0]).toMatch(/^HTTP\/1\.1 400 .+application\/problem\+json.+"malformed_request"/s);
    expect(answers[1]).toMatch(/^HTTP\/1\.1 431 .+application\/problem\+json.+"headers_too_large"/s);
  });
});

describe('a conflict with the state', () => {
  test('an id without a row gets 404 with the resource in the code', async () => {
    const nothing = randomUUID();
    const ask = (path: string) => request('GET', path, { key: store.key });
    expectProblem(await ask(`/appointments/${nothing}`), 'appointment_not_found');
    expectProblem(await ask(`/appointments/${nothing}/calendar-sync`), 'appointment_not_found');
    expectProblem(await ask(`/leads/${nothing}`), 'lead_not_found');
    expectProblem(await ask(`/sellers/${nothing}`), 'seller_not_found');
    expectProblem(await post('/appointments', { body: { ...body, lead_id: nothing } }), 'lead_not_found');
    expectProblem(
      await post('/leads', { body: { name: 'Ana', customer_phone: '5511900000003', seller_id: nothing } }),
      'seller_not_found',
    );
  });

  test('an inactive seller and a known phone are rejected, the phone with the id of its lead', async () => {
    const seller = await post('/sellers', { body: { name: 'Rui', whatsapp_id: '5511900000004', is_active: false } });
    const lead = { name: 'Ana', customer_phone: '5511900000005' };
    expectProblem(await post('/leads', { body: { ...lead, seller_id: seller.body.id } }), 'seller_inactive');
    const made = await post('/leads', { body: lead });
    expect(expectProblem(await post('/leads', { body: lead }), 'lead_exists').id).toBe(made.body.id);
  });

  test('a change of a final appointment is rejected with its status', async () => {
    const made = await post('/appointments', { body });
    const change = (sent: object) => request('PATCH', `/appointments/${made.body.id}`, { key: store.key, body: sent });
    expect((await change({ status: 'no_show' })).status).toBe(200);
    expect(expectProblem(await change({ title: 'Again' }), 'appointment_not_scheduled').current_status).toBe('no_show');
    expectProblem(await change({ status: 'scheduled' }), 'appointment_not_scheduled');
  });

  test('a change under a stale version is rejected', async () => {
    const change = (title: string, etag: string) =>
      request('PATCH', `/appointments/${appointment.id}`, {
        key: store.key,
        body: { title },
        headers: { 'if-match': etag },
      });
    const read = await request('GET', `/appointments/${appointment.id}`, { key: store.key });
    const etag = read.headers.get('etag') ?? '';
    const changed = await change('First', etag);
    expect(changed.status).toBe(200);
    expectProblem(await change('Second', etag), 'version_mismatch');
    expect((await change('Second', changed.headers.get('etag') ?? '')).status).toBe(200);
  });

  test('an idempotency key of another request is rejected, and the key of a rejected request is free', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    expectProblem(await post('/appointments', { headers, body: { ...body, lead_id: randomUUID() } }), 'lead_not_found');
    expect((await post('/appointments', { headers, body })).status).toBe(201);
    expectProblem(
      await post('/appointments', { headers, body: { ...body, title: 'Other' } }),
      'idempotency_key_reused',
    );
  });
});

test('an error of a service is in Portuguese for a client that prefers it, and its code is the same', async () => {
  const read = (language: string) =>
    request('GET', '/leads?cursor=abc', { key: store.key, headers: { 'accept-language': language } });
  const [english, portuguese] = [await read('en'), await read('pt-BR, en;q=0.5')];
  expectProblem(english, 'validation_failed');
  expect([english, portuguese].map(({ headers }) => headers.get('content-language'))).toEqual(['en', 'pt-BR']);
  expect(portuguese.body).toEqual({
    ...english.body,
    request_id: portuguese.body.request_id,
    title: 'Requisição inválida',
    detail: 'query cursor não é um cursor desta lista; recomece sem ele.',
    errors: [{ in: 'query', name: 'cursor', detail: 'não é um cursor desta lista; recomece sem ele' }],
  });
});

test('no refusal is stored under an Idempotency-Key, so each attempt gets one in its own language', async () => {
  const body = { lead_id: randomUUID(), message: 'Oi', delay_minutes: 60 };
  const attempt = (language: string) =>
    post('/followups/scheduled', { body, headers: { 'accept-language': language, 'idempotency-key': 'language' } });
  const answers = [await attempt('en'), await attempt('pt')];
  expect(answers.map(({ status, body: { code, title } }) => [status, code, title])).toEqual([
    [404, 'lead_not_found', 'Lead not found'],
    [404, 'lead_not_found', 'Lead não encontrado'],
  ]);
});

test('every answer has a request id, which is the one of the caller if that is valid', async () => {
  const mine = `e2e-${randomUUID()}`;
  const kept = await request('GET', '/store', { key: store.key, headers: { 'x-request-id': mine } });
  expect(kept.headers.get('x-request-id')).toBe(mine);
  const replaced = await request('GET', '/store', { key: store.key, headers: { 'x-request-id': 'a b"c' } });
  expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('HEAD, and GET with a JSON content type and no body, succeed', async () => {
  const read = await request('GET', '/store', { key: store.key, headers: { 'content-type': 'application/json' } });
  expect(read.status).toBe(200);
  const head = await fetch(`${addresses.base_url}/store`, { method: 'HEAD', headers: { 'x-api-key': store.key } });
  expect([head.status, await head.text()]).toEqual([200, '']);
});
