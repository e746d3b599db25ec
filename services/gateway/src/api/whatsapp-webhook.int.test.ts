import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { receiveWebhook, verifyWebhook } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { sendRaw } from '../../test/raw-http.ts';

let gateway: TestGateway;
const right = `sha256=${'a'.repeat(64)}`;
const wrong = `sha256=${'b'.repeat(64)}`;
/** Blocks messaging's answers while it is set. */
let held: Promise<void> | undefined;
const received: { channel_id: string; signature: string; payload: Buffer }[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({ webhookBytes: 4 * 1024 * 1024 });
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
        await held;
        if (body.signature !== right) throw new AppError('webhook_refused');
        received.push({ ...rest, payload: Buffer.from(payload_base64, 'base64') });
        return { done: true };
      },
    },
  );
});
afterAll(() => gateway?.stop());

const listen = async () => {
  if (!gateway.app.server.listening) await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  return (gateway.app.server.address() as AddressInfo).port;
};

const channelId = randomUUID();
const url = `/channels/whatsapp/${channelId}/webhook`;
const challenge = (query: Record<string, string>, path = url) => gateway.app.inject({ url: path, query });
const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  gateway.app.inject({
    url,
    method: 'POST',
    payload,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': right, ...headers },
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
  expect(received.at(-1)).toEqual({ channel_id: channelId, signature: right, payload: Buffer.from(text) });
});

test('a payload is accepted with any media type, and without one', async () => {
  expect((await post('x', { 'content-type': 'text/plain' })).statusCode).toBe(200);
  const bare = { url, method: 'POST', payload: 'bare', headers: { 'x-hub-signature-256': right } } as const;
  expect((await gateway.app.inject(bare)).statusCode).toBe(200);
  expect(received.at(-1)?.payload.toString()).toBe('bare');
});

test('a payload of 3 MiB is accepted, and one more byte gets 413', async () => {
  const most = Buffer.alloc(3 * 1024 * 1024, 'x');
  expect((await post(most)).statusCode).toBe(200);
  expect(received.at(-1)?.payload.equals(most)).toBe(true);
  const answer = await post(Buffer.concat([most, Buffer.from('x')]));
  expect(answer.json()).toMatchObject({
    status: 413,
    code: 'body_too_large',
    detail: expect.stringContaining('3 MiB'),
  });
});

test('a payload without a signature or with a wrong one is rejected', async () => {
  for (const signature of [wrong, 'x'.repeat(201)]) {
    const answer = await post('{}', { 'x-hub-signature-256': signature });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'webhook_refused']);
  }
  expect((await gateway.app.inject({ url, method: 'POST', payload: {} })).statusCode).toBe(403);
});

/** The head of a webhook whose body of 3 MiB never comes. */
const headOf = (path: string, signature: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3145728\r\nX-Hub-Signature-256: ${signature}\r\n\r\n`;

test.each([
  ['the signature has another form', url, 'sha256=right'],
  ['the signature is too short', url, right.slice(0, -1)],
  ['the channel has another form', '/channels/whatsapp/nothing/webhook', right],
])('when %s, the gateway answers before the body arrives', async (_, path, signature) => {
  const response = await sendRaw(await listen(), headOf(path, signature));
  expect([response.status, JSON.parse(response.body).code]).toEqual([403, 'webhook_refused']);
});

/** The payload bytes that the gateway holds now. */
const bytesHeld = async () => {
  const text = await gateway.metrics.text();
  return Number(/^mostrador_webhook_bytes\{.*\} (\d+)$/m.exec(text)?.[1]);
};
const holds = (bytes: number) =>
  waitFor(async () => (await bytesHeld()) === bytes, { description: `${bytes} bytes are held` });
const mebibyte = 1024 * 1024;

test('webhooks that hold more bytes than the limit get 503 until others are answered', async () => {
  const release = Promise.withResolvers<void>();
  held = release.promise;
  const holding = [post(Buffer.alloc(2 * mebibyte)), post(Buffer.alloc(2 * mebibyte))];
  await holds(4 * mebibyte);
  const refused = await post('one more byte');
  expect([refused.statusCode, refused.json().code]).toEqual([503, 'service_unavailable']);
  expect(refused.headers['retry-after']).toBe('1');
  held = undefined;
  release.resolve();
  expect((await Promise.all(holding)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect((await post(Buffer.alloc(3 * mebibyte))).statusCode).toBe(200);
  await holds(0);
});

test('slow uploads hold only the bytes that have arrived, and give them back when they end early', async () => {
  const port = await listen();
  const uploads = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  for (const socket of uploads) {
    await once(socket, 'connect');
    socket.write(headOf(url, right));
    socket.write(Buffer.alloc(10_000));
  }
  await holds(200_000);
  expect((await post('a webhook')).statusCode).toBe(200);
  for (const socket of uploads) socket.destroy();
  await holds(0);
});
