import { silentLog } from '@mostrador/testing/context';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Access } from '../access/access.ts';
import { addProblems } from './problem.ts';
import { addRateLimit } from './rate-limit.ts';

let app: FastifyInstance;
let access: Access;
const log = silentLog();
const warn = vi.spyOn(log, 'warn');

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  access = accessOf('busy', 6000);
  app = fastify();
  addProblems(app, { publicUrl: 'http://localhost', log });
  app.decorateRequest('access');
  app.addHook('onRequest', async (request) => {
    request.access = request.headers['x-store'] === 'other' ? accessOf('other', 6000) : access;
  });
  addRateLimit(app, { log });
  app.get('/', (request, reply) => reply.send({ held: request.isHeldRejection }));
  await app.ready();
});
afterEach(async () => {
  vi.useRealTimers();
  warn.mockClear();
  await app.close();
});

const accessOf = (storeId: string, requestsPerMinute: number) =>
  ({ callerId: storeId, storeId, requestsPerMinute }) as Access;

/** Sends requests at one moment. Returns the responses in the order in which they come. */
function send(count: number, headers = {}) {
  const answers: { status: number; body: Record<string, unknown>; retryAfter: unknown; limit: unknown }[] = [];
  for (let i = 0; i < count; i++) {
    app.inject({ url: '/', headers }, (_, answer) => {
      if (!answer) return;
      const { 'retry-after': retryAfter, ratelimit: limit } = answer.headers;
      answers.push({ status: answer.statusCode, body: answer.json(), retryAfter, limit });
    });
  }
  return answers;
}

/** What was sent is answered by now, unless the plugin holds it. */
const settle = () => new Promise(setImmediate);

test('the callers of a store may have a rate together that is not that of one of them', async () => {
  const people = fastify();
  people.decorateRequest('access');
  people.addHook('onRequest', async (request) => {
    const person = request.headers['x-person'] as string;
    request.access = { ...accessOf(person === 'other' ? 'other' : 'busy', 1200), callerId: person };
  });
  addRateLimit(people, { log, storeRequestsPerMinute: 6000 });
  people.get('/', (_, reply) => reply.send('ok'));
  let answered = 0;
  const ask = (person: string) =>
    people.inject({ url: '/', headers: { 'x-person': person } }, (_, answer) => {
      if (answer?.statusCode === 200) answered += 1;
    });
  await people.ready();
  ask('other');
  for (let n = 0; n < 500; n++) ask(`person ${n % 10}`);
  await settle();
  await vi.advanceTimersByTimeAsync(5000);
  await settle();
  expect(answered).toBe(501);
  await people.close();
});

test('the first 60 rejections of a minute come at once, and the gateway holds the next ones for five seconds', async () => {
  access = accessOf('busy', 60);
  const answers = send(200);
  await settle();
  expect(answers.map(({ status }) => status)).toEqual([...Array(60).fill(200), ...Array(60).fill(429)]);
  await vi.advanceTimersByTimeAsync(4999);
  expect(answers).toHaveLength(120);
  await vi.advanceTimersByTimeAsync(1);
  await settle();
  expect(answers.slice(120).map(({ status, retryAfter }) => [status, retryAfter])).toEqual(Array(80).fill([429, '1']));
});

test('the log names a key that keeps sending above its rate once a minute', async () => {
  access = accessOf('busy', 60);
  send(200);
  await settle();
  expect(warn.mock.calls).toEqual([[{ store_id: 'busy', key_id: 'busy' }, 'a key keeps sending above its rate limit']]);
});

test('a burst within the rate waits for its turn beside another store, and nothing of it is rejected', async () => {
  const other = send(1, { 'x-store': 'other' });
  const answers = send(130);
  await settle();
  expect(other).toMatchObject([{ status: 200 }]);
  expect(answers).toHaveLength(100);
  await vi.advanceTimersByTimeAsync(300);
  await settle();
  expect(answers.map(({ status }) => status)).toEqual(Array(130).fill(200));
});

test('a request that would wait too long gets 429 with the reason, and costs nothing', async () => {
  send(1, { 'x-store': 'other' });
  const answers = send(1110);
  await settle();
  expect(answers.at(-1)).toMatchObject({
    status: 429,
    retryAfter: '11',
    body: { code: 'quota_exceeded', detail: expect.stringContaining('serves other stores') },
    limit: `"default";r=${6000 - 1100};t=12`,
  });
});

test('a request whose client has gone does not start', async () => {
  const seen = vi.fn();
  send(1, { 'x-store': 'other' });
  send(100);
  const gone = new AbortController();
  app.inject({ url: '/', signal: gone.signal }, seen);
  await settle();
  gone.abort();
  await settle();
  expect(vi.getTimerCount()).toBe(0);
});
