import { noteCalendarChange } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;
const noted: string[] = [];
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve(
    'scheduling',
    { noteCalendarChange },
    {
      noteCalendarChange: async (_context, { body }) => {
        if (body.token !== 'Secret-token_1') throw new AppError('webhook_refused');
        noted.push(body.token);
        return { done: true as const };
      },
    },
  );
});
afterAll(() => gateway?.stop());
beforeEach(() => void noted.splice(0));

const send = (headers: Record<string, string>, payload = '') =>
  gateway.app.inject({ method: 'POST', url: '/calendars/google/changes', headers, payload });
const token = { 'x-goog-channel-token': 'Secret-token_1' };

test('a notice of Google is passed on without a key, whatever its media type', async () => {
  const headers = { ...token, 'x-goog-resource-state': 'exists', 'content-type': 'application/json; utf-8' };
  const answers = await Promise.all([send(headers), send({ ...token, 'x-goog-resource-state': 'not_exists' })]);
  expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
    [204, ''],
    [204, ''],
  ]);
  expect(noted).toHaveLength(2);
});

test('the notice that a channel is open is no change', async () => {
  expect((await send({ ...token, 'x-goog-resource-state': 'sync' })).statusCode).toBe(204);
  expect(noted).toEqual([]);
});

test.each([
  ['no token', {}, 403],
  ['an empty token', { 'x-goog-channel-token': '' }, 403],
  ['a long token', { 'x-goog-channel-token': 't'.repeat(201) }, 403],
  ['an unknown token', { 'x-goog-channel-token': 'other' }, 403],
])('%s is refused', async (_, headers, status) => {
  expect((await send(headers as Record<string, string>)).statusCode).toBe(status);
  expect(noted).toEqual([]);
});

test('a large body is refused', async () => {
  expect((await send({ ...token, 'content-type': 'text/plain' }, 'x'.repeat(2_000))).statusCode).toBe(413);
});
