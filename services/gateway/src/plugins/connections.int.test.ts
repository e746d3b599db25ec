import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publicUrl, startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { type RawResponse, sendRaw } from '../../test/raw-http.ts';

let gateway: TestGateway;
/** Requests must arrive sooner than at the other one. */
let hasty: TestGateway;
let apiKey: string;
let hastyKey: string;
let port: number;
let hastyPort: number;

beforeAll(async () => {
  [gateway, hasty] = await Promise.all([startTestGateway(), startTestGateway({ arrivalTimeoutMs: 500 })]);
  [{ apiKey }, { apiKey: hastyKey }] = await Promise.all([gateway.newStore(), hasty.newStore()]);
  [port, hastyPort] = (await Promise.all([gateway, hasty].map(listen))) as [number, number];
});
afterAll(() => Promise.all([gateway?.stop(), hasty?.stop()]));

async function listen({ app }: TestGateway): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

function expectProblem(response: RawResponse, status: number, code: string) {
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(response.headers['x-request-id']).toMatch(/./);
  expect(JSON.parse(response.body)).toMatchObject({
    type: `${publicUrl}/docs/errors/${code}`,
    status,
    code,
    request_id: response.headers['x-request-id'],
  });
}
const close = 'Connection: close\r\n\r\n';
const start = 'POST /integrations/v1/appointments HTTP/1.1\r\nHost: x\r\n';
const withKey = (key = apiKey) => `${start}X-API-Key: ${key}\r\nContent-Type: application/json\r\n`;

test.each([
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
  ['a header with a control character', 'GET / HTTP/1.1\r\nHost: x\r\nA: \u0001\r\n\r\n'],
  ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['two lengths', `${start}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
  ['a length and chunks', `${start}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ['no Host', `GET /healthz HTTP/1.1\r\n${close}`],
])('%s gets 400', async (_, bytes) => {
  expectProblem(await sendRaw(port, bytes), 400, 'malformed_request');
});

test('a chunk with an invalid length gets 400', async () => {
  expectProblem(await sendRaw(port, `${withKey()}Transfer-Encoding: chunked\r\n\r\nzz\r\n`), 400, 'malformed_request');
});

test('headers of more than 16 KiB get 431', async () => {
  const response = await sendRaw(port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`);
  expectProblem(response, 431, 'headers_too_large');
});

test('a URL of more than 16 KiB gets 431', async () => {
  expectProblem(
    await sendRaw(port, `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
    431,
    'headers_too_large',
  );
});

test('headers that do not arrive in time get 408', async () => {
  expectProblem(await sendRaw(hastyPort, 'GET / HTTP/1.1\r\nHost: x\r\n'), 408, 'request_timeout');
});

test('a body that does not arrive in time gets 408', async () => {
  expectProblem(await sendRaw(hastyPort, `${withKey(hastyKey)}Content-Length: 10\r\n\r\n{`), 408, 'request_timeout');
});

test('a body with a too large Content-Length gets 413 before it is sent', async () => {
  expectProblem(await sendRaw(port, `${withKey()}Content-Length: 262145\r\n\r\n`), 413, 'body_too_large');
});

test('a chunked body that grows too large gets 413', async () => {
  const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`;
  const response = await sendRaw(port, `${withKey()}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(9)}0\r\n\r\n`);
  expectProblem(response, 413, 'body_too_large');
});

test('CONNECT gets 405', async () => {
  expectProblem(await sendRaw(port, 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'), 405, 'method_not_allowed');
});

test('OPTIONS * gets 404', async () => {
  expectProblem(await sendRaw(port, `OPTIONS * HTTP/1.1\r\nHost: x\r\n${close}`), 404, 'route_not_found');
});

test('an unknown Expect header is ignored', async () => {
  const response = await sendRaw(port, `GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n${close}`);
  expect(response.status).toBe(200);
});

test('a request for an unsupported upgrade is answered as a plain request', async () => {
  const response = await sendRaw(
    port,
    'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  expect(response.status).toBe(200);
});

test('the server still answers after all of these requests', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/healthz`);
  expect(response.status).toBe(200);
});
