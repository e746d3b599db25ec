import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { localEgress } from '@mostrador/testing/context';
import { afterEach, expect, test } from 'vitest';
import { NotConnected, postJson } from './http.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\n{}';

/** A server that keeps its connections. It answers every request unless `answer` does something else. */
async function startServer(answer: (socket: Socket, request: number) => void = (socket) => socket.write(ok)) {
  const sockets: Socket[] = [];
  let requests = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (!bytes.includes('POST ')) return;
      requests += 1;
      answer(socket, requests);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const egress = localEgress();
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const post = () =>
    postJson(url, { egress, headers: {}, body: '{"text":"Hello"}', signal: AbortSignal.timeout(60_000) });
  return { sockets, requests: () => requests, post };
}

test('a request after the server has closed the kept connection is sent once, over another one', async () => {
  const { sockets, requests, post } = await startServer();
  await post();
  // The client has not seen it yet when the request begins.
  sockets[0]?.destroy();
  expect(await post()).toMatchObject({ status: 200 });
  expect([sockets.length, requests()]).toEqual([2, 2]);
});

test('a request over a kept connection that is closed after it was sent is not repeated, and its outcome unknown', async () => {
  const { sockets, requests, post } = await startServer((socket, request) =>
    request === 1 ? socket.write(ok) : socket.resetAndDestroy(),
  );
  await post();
  const failure = await post().catch((error) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).not.toBeInstanceOf(NotConnected);
  expect([sockets.length, requests()]).toEqual([1, 2]);
});

test('a connection without requests is closed here, before a server closes it', async () => {
  const { sockets, post } = await startServer();
  await post();
  // This server never closes one.
  await once(sockets[0] as Socket, 'end');
});
