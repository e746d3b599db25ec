import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { waitFor } from '@mostrador/testing/wait';
import { afterEach, expect, test } from 'vitest';
import { type GatewayOptions, startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { sendRaw } from '../../test/raw-http.ts';

const maximumConnections = 300;
let gateway: TestGateway | undefined;
let port: number;
let sockets: Socket[] = [];

async function start(options: GatewayOptions = {}): Promise<void> {
  gateway = await startTestGateway({ maximumConnections, ...options });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = gateway.app.server.address() as AddressInfo);
}
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await gateway?.stop();
});

const close = 'Host: x\r\nConnection: close\r\n\r\n';

/** Opens a number of connections on which nothing is read. */
async function open(count: number): Promise<Socket[]> {
  const added = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
  for (const socket of added) socket.pause();
  sockets.push(...added);
  await Promise.all(added.map((socket) => once(socket, 'connect')));
  return added;
}

/** The open connections, as the metric counts them. */
async function openConnections(): Promise<number> {
  const text = (await gateway?.metrics.text()) ?? '';
  return Number(/^mostrador_http_connections\{.*\} (\d+)$/m.exec(text)?.[1]);
}
const opened = (count: number) =>
  waitFor(async () => (await openConnections()) === count, {
    description: `${count} connections are open`,
  });

test('a connection above the limit gets 503 and is closed, and probes still work on it', async () => {
  await start();
  await open(maximumConnections);
  await opened(maximumConnections);
  const refused = await sendRaw(port, `GET /docs HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect([refused.status, JSON.parse(refused.body).code]).toEqual([503, 'service_unavailable']);
  expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
  expect((await sendRaw(port, `GET /healthz HTTP/1.1\r\n${close}`)).status).toBe(200);
  sockets.pop()?.destroy();
  await opened(maximumConnections - 1);
  expect((await sendRaw(port, `GET /docs HTTP/1.1\r\n${close}`)).status).toBe(200);
});

test('100 clients that do not read their responses are disconnected, and the gateway serves others meanwhile', async () => {
  await start({ connectionTimeoutMs: 3000, requestTimeoutMs: 3000 });
  const bundle = 'GET /docs/assets/scalar.js HTTP/1.1\r\nHost: x\r\n\r\n';
  const readers = await open(100);
  for (const socket of readers) socket.write(bundle.repeat(4));
  expect((await sendRaw(port, `GET /healthz HTTP/1.1\r\n${close}`)).status).toBe(200);
  await opened(0);
});
