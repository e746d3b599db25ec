import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { api, createClient, expectProblem, json } from '../../test/client.ts';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { appointmentBody, appointmentId, serveScheduling } from '../../test/scheduling.ts';

let gateway: TestGateway;
let scheduling: Awaited<ReturnType<typeof serveScheduling>>;
let send: ReturnType<typeof createClient>['send'];
let post: ReturnType<typeof createClient>['post'];

beforeAll(async () => {
  gateway = await startTestGateway();
  scheduling = await serveScheduling(gateway);
  ({ send, post } = createClient(gateway, (await gateway.newStore()).apiKey));
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  scheduling.asked.length = 0;
  scheduling.before.answer = undefined;
});

test('a body over 256 KiB gets 413, and a body of exactly 256 KiB is read', async () => {
  const sized = (bytes: number) =>
    JSON.stringify({ ...appointmentBody, notes: '' }).replace('""', `"${'n'.repeat(bytes)}"`);
  const spare = Buffer.byteLength(sized(0));
  expectProblem(await post(sized(256 * 1024 - spare), json), 400, 'validation_failed');
  expectProblem(await post(sized(256 * 1024 - spare + 1), json), 413, 'body_too_large');
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/json; charset=latin1',
  'nonsense',
])('a body of type %s gets 415', async (type) => {
  const answer = await post('{}', { 'content-type': type });
  expectProblem(answer, 415, 'unsupported_media_type');
  expect(answer.headers).not.toHaveProperty('accept-encoding');
});

test.each(['gzip', 'br', 'gzip, identity', 'nonsense'])(
  'a body in the content coding %s gets 415 with the accepted coding',
  async (coding) => {
    const answer = await post(gzipSync(JSON.stringify(appointmentBody)), { ...json, 'content-encoding': coding });
    expectProblem(answer, 415, 'unsupported_content_encoding');
    expect(answer.headers['accept-encoding']).toBe('identity');
  },
);

test('a body whose content coding is identity is accepted', async () => {
  expect((await post(appointmentBody, { 'content-encoding': 'Identity' })).statusCode).toBe(201);
});

test('a body without a media type gets 415', async () => {
  expectProblem(await post(Buffer.from('{}'), {}), 415, 'unsupported_media_type');
});

test.each([
  '',
  '{',
  '{"title":}',
  'title',
  '{"title":"a",}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":1}}',
  'NaN',
  '{}{}',
])('%j is not JSON and gets 400', async (text) => {
  expectProblem(await post(text, json), 400, 'malformed_json');
});

test('a body that is not UTF-8 gets 400', async () => {
  expectProblem(await post(Buffer.from([0x22, 0xc3, 0x28, 0x22]), json), 400, 'malformed_json');
});

test('a missing body gets 400', async () => {
  const problem = expectProblem(await post(undefined), 400, 'validation_failed');
  expect(problem.errors).toEqual([{ pointer: '#', detail: 'is required' }]);
});

test.each(['null', '[]', '"text"', '1', 'true'])('the JSON %s is not an appointment and gets 400', async (text) => {
  expect(expectProblem(await post(text, json), 400, 'validation_failed').errors[0].pointer).toBe('#');
});

test('one response lists all faults of a request, each with its place', async () => {
  const faulty = { title: ' ', scheduled_at: '2027-02-30T09:00:00Z', duration_minutes: '60', extra: 1 };
  const problem = expectProblem(await post(faulty, { 'idempotency-key': 'x'.repeat(256) }), 400, 'validation_failed');
  const places = problem.errors.map((fault: { pointer?: string; name?: string }) => fault.pointer ?? fault.name);
  expect(places.toSorted()).toEqual(['#/duration_minutes', '#/extra', '#/scheduled_at', '#/title', 'Idempotency-Key']);
  expect(scheduling.asked).toHaveLength(0);
});

test.each([
  ['limit=201', 'limit'],
  ['limit=0', 'limit'],
  ['limit=1e2', 'limit'],
  ['limit=', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['page=1.5', 'page'],
  ['unknown=1', 'unknown'],
  ['status=open', 'status'],
  ['from=yesterday', 'from'],
  ['__proto__=1', '__proto__'],
  ['limit%00=1', 'limit\0'],
])('the invalid query %s gets 400, which names the parameter', async (query, name) => {
  const problem = expectProblem(await send(`${api}/appointments?${query}`), 400, 'validation_failed');
  expect(problem.errors).toEqual([{ in: 'query', name, detail: expect.any(String) }]);
});

test('a query parameter for an operation without query parameters gets 400', async () => {
  const problem = expectProblem(await send(`${api}/appointments/${appointmentId}?x=1`), 400, 'validation_failed');
  expect(problem.errors).toEqual([{ in: 'query', name: 'x', detail: expect.any(String) }]);
});

test.each(['1', 'not-a-uuid', 'a'.repeat(5000), '%00', '..%2F..'])('the invalid id %s gets 400', async (text) => {
  const problem = expectProblem(await send(`${api}/appointments/${text}`), 400, 'validation_failed');
  expect(problem.errors[0]).toMatchObject({ in: 'path', name: 'appointmentId' });
});

test('two Idempotency-Key headers get 400', async () => {
  const problem = expectProblem(
    await post(appointmentBody, { 'idempotency-key': ['a', 'b'] }),
    400,
    'validation_failed',
  );
  expect(problem.errors).toEqual([{ in: 'header', name: 'Idempotency-Key', detail: 'was given more than once' }]);
});

test('a URL that cannot be decoded gets 400', async () => {
  expectProblem(await send(`${api}/appointments/%ZZ`), 400, 'malformed_request');
  expectProblem(await send('/%ZZ', { key: null }), 400, 'malformed_request');
});

test('a body with 100,000 nested arrays gets 400', async () => {
  const deep = `{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  expectProblem(await post(deep, json), 400, 'validation_failed');
  expectProblem(await post(deep, { ...json, 'idempotency-key': 'k' }), 400, 'validation_failed');
});
