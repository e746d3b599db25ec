import { randomUUID } from 'node:crypto';
import { receiveWebhook, verifyWebhook } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';

let gateway: TestGateway;
const received: { channel_id: string; signature: string; payload: Buffer }[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve(
    'messaging',
    { verifyWebhook, receiveWebhook },
    {
      verifyWebhook: async (_context, { body }) => {
        if (body.verify_token !== 'right') throw new AppError('webhook_refused');
        return { done: true };
      },
      receiveWebhook: async (_context, { body }) => {
        const { payload_base64, ...rest } = body;
        if (body.signature !== 'sha256=right') throw new AppError('webhook_refused');
        received.push({ ...rest, payload: Buffer.from(payload_base64, 'base64') });
        return { done: true };
      },
    },
  );
});
afterAll(() => gateway?.stop());

const channelId = randomUUID();
const url = `/channels/whatsapp/${channelId}/webhook`;
const challenge = (query: Record<string, string>, path = url) => gateway.app.inject({ url: path, query });
const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  gateway.app.inject({
    url,
    method: 'POST',
    payload,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': 'sha256=right', ...headers },
  });
const subscribe = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': 'right' };

test('the response repeats the challenge unchanged as plain text', async () => {
  const answer = await challenge(subscribe);
  expect([answer.statusCode, answer.body]).toEqual([200, '1158201444']);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
});

test.each<Record<string, string>>([
  { ...subscribe, 'hub.verify_token': 'wrong' },
  { ...subscribe, 'hub.mode': 'unsubscribe' },
  { 'hub.mode': 'subscribe', 'hub.verify_token': 'right' },
  {},
])('%j is rejected with a problem document', async (query) => {
  const answer = await challenge(query);
  expect([answer.statusCode, answer.json().code]).toEqual([403, 'webhook_refused']);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
});

test('a malformed channel address gets the same error code as an unknown one', async () => {
  const answer = await challenge(subscribe, '/channels/whatsapp/nothing/webhook');
  expect([answer.statusCode, answer.json().code]).toEqual([403, 'webhook_refused']);
});

test.each(['{ "a":  1 }', '{"broken', 'ã👋', ''])('the bytes of %j reach the service unchanged', async (text) => {
  const answer = await post(text);
  expect(answer.statusCode).toBe(200);
  expect(received.at(-1)).toEqual({ channel_id: channelId, signature: 'sha256=right', payload: Buffer.from(text) });
});

test('a payload is accepted with any media type, and without one', async () => {
  expect((await post('x', { 'content-type': 'text/plain' })).statusCode).toBe(200);
  const bare = { url, method: 'POST', payload: 'bare', headers: { 'x-hub-signature-256': 'sha256=right' } } as const;
  expect((await gateway.app.inject(bare)).statusCode).toBe(200);
  expect(received.at(-1)?.payload.toString()).toBe('bare');
});

test('a payload of 3 MiB is accepted, and one more byte gets 413', async () => {
  const most = Buffer.alloc(3 * 1024 * 1024, 'x');
  expect((await post(most)).statusCode).toBe(200);
  expect(received.at(-1)?.payload.equals(most)).toBe(true);
  const answer = await post(Buffer.concat([most, Buffer.from('x')]));
  expect([answer.statusCode, answer.json().code]).toEqual([413, 'body_too_large']);
});

test('a payload without a signature or with a wrong one is rejected', async () => {
  for (const signature of ['sha256=wrong', 'x'.repeat(201)]) {
    const answer = await post('{}', { 'x-hub-signature-256': signature });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'webhook_refused']);
  }
  expect((await gateway.app.inject({ url, method: 'POST', payload: {} })).statusCode).toBe(403);
});
