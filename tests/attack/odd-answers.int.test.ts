// Found from outside (F10): a receiver took an event, answered 2xx, and its body was shorter, longer or other than it
// declared. The attempt counted as failed, the event came again for days, and the endpoint was disabled.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createWebhookEndpoint, eventsOperations } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../services/events/test/events.ts';
import { appendTo } from '../../services/events/test/webhooks.ts';

const { getWebhookDelivery, listWebhookDeliveries } = eventsOperations;

let events: TestEvents;
const receivers: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  events = await startEvents({ limits: { callMs: 1_500, leaseMs: 20_000 } });
  events.startSender();
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(() => events?.stop());

/** What a receiver does after it has read a request: it writes, one packet after the other, or ends the connection. */
type Act = string | 'FIN' | 'RST';

/** Reads whole requests, and answers each with these bytes. */
async function startReceiver(acts: readonly Act[]) {
  const sockets = new Set<Socket>();
  // A retry of an earlier test's delivery may arrive at its port again, and does not count.
  const path = `/hooks/${randomUUID()}`;
  let requests = 0;
  const answer = async (socket: Socket) => {
    for (const act of acts) {
      if (act === 'RST') return socket.resetAndDestroy();
      if (act === 'FIN') return socket.end();
      // Each packet arrives by itself.
      await new Promise((resolve) => socket.write(act, 'latin1', () => setImmediate(resolve)));
    }
  };
  const server: Server = createServer({ noDelay: true }, (socket) => {
    let received = '';
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      const [head = '', body] = received.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (body === undefined || Buffer.byteLength(body) < length) return;
      received = '';
      if (head.startsWith(`POST ${path} `)) requests += 1;
      void answer(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    requests: () => requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  receivers.push(receiver);
  return receiver;
}

/** Sends an event to such a receiver. Returns what became of it, and how the endpoint is. */
async function deliver(acts: readonly Act[]) {
  const receiver = await startReceiver(acts);
  const storeId = randomUUID();
  const ask = () => testContext({ storeId });
  const endpoint = await events.rpc.call(createWebhookEndpoint, { body: { url: receiver.url } }, ask());
  await appendTo(events, storeId, [randomUUID()]);
  const params = { endpointId: endpoint.id };
  const find = async () => (await events.rpc.call(listWebhookDeliveries, { params, query: {} }, ask())).data[0];
  const isOver = async () => {
    const delivery = await find();
    return delivery !== undefined && (delivery.status !== 'pending' || delivery.error !== null);
  };
  await expect.poll(isOver).toBe(true);
  const delivery = await find();
  const { log } = await events.rpc.call(
    getWebhookDelivery,
    { params: { ...params, deliveryId: String(delivery?.id) } },
    ask(),
  );
  const { health, status } = await events.rpc.call(eventsOperations.getWebhookEndpoint, { params }, ask());
  return { delivery, attempt: log[0], health, endpoint: status, requests: receiver.requests() };
}

const line = (status: number) => `HTTP/1.1 ${status} Whatever\r\n`;
const endless = 'x'.repeat(64 * 1024);

/** What comes after the status line. */
const odd: readonly (readonly [string, (status: number) => readonly Act[]])[] = [
  ['a body shorter than declared, and the end', (status) => [`${line(status)}content-length: 10\r\n\r\nabc`, 'FIN']],
  ['a body shorter than declared, and a reset', (status) => [`${line(status)}content-length: 10\r\n\r\nabc`, 'RST']],
  ['a body shorter than declared, and silence', (status) => [`${line(status)}content-length: 10\r\n\r\nabc`]],
  ['a body longer than declared', (status) => [`${line(status)}content-length: 2\r\n\r\nabcdef`]],
  ['a body longer than declared, later', (status) => [`${line(status)}content-length: 2\r\n\r\nab`, 'cdef']],
  ['a body where none is declared', (status) => [`${line(status)}content-length: 0\r\n\r\n{"ok":true}`]],
  ['a reset right after the headers', (status) => [`${line(status)}content-length: 2\r\n\r\n`, 'RST']],
  ['a broken chunk', (status) => [`${line(status)}transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n`]],
  ['a chunk that ends too early', (status) => [`${line(status)}transfer-encoding: chunked\r\n\r\nff\r\nabc`, 'FIN']],
  ['no last chunk', (status) => [`${line(status)}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`, 'RST']],
  ['a broken trailer', (status) => [`${line(status)}transfer-encoding: chunked\r\n\r\n0\r\nbad\r\n\r\n`]],
  ['a body that is not gzip', (status) => [`${line(status)}content-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc`]],
  ['an unknown coding', (status) => [`${line(status)}transfer-encoding: x\r\n\r\nabc`, 'FIN']],
  ['an endless body', (status) => [`${line(status)}\r\n`, ...Array.from({ length: 20 }, () => endless)]],
  ['an endless header', (status) => [`${line(status)}x: `, endless, endless]],
  ['a header without a colon', (status) => [`${line(status)}no colon\r\n\r\n`]],
  ['a header without a colon, later', (status) => [line(status), 'no colon\r\n\r\n']],
  ['a header with a zero byte', (status) => [`${line(status)}x: a\0b\r\n\r\n`]],
  ['a length that is no number', (status) => [`${line(status)}content-length: many\r\n\r\nabc`]],
  ['two lengths', (status) => [`${line(status)}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`]],
  [
    'a length and chunks',
    (status) => [`${line(status)}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  ],
  ['lines that end with LF only', (status) => [`HTTP/1.1 ${status} Whatever\ncontent-length: 0\n\n`]],
  ['no reason and no headers', (status) => [`HTTP/1.1 ${status}\r\n\r\n`, 'FIN']],
  ['the status line alone, and a reset', (status) => [line(status), 'RST']],
  ['the status line alone, and silence', (status) => [line(status)]],
  ['a status line in pieces', (status) => ['HTTP/1.', `1 ${status} What`, 'ever\r', '\nno colon\r\n\r\n']],
  [
    'an interim answer before it',
    (status) => [`HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n${line(status)}no colon\r\n`],
  ],
];

test.each(odd)('%s changes nothing of what the status says', async (_, acts) => {
  const outcomes = (statuses: readonly number[]) =>
    Promise.all(statuses.map(async (status) => ({ status, ...(await deliver(acts(status))) })));
  for (const { status, delivery, attempt, health, requests } of await outcomes([200, 201, 204, 299])) {
    expect(delivery).toMatchObject({ status: 'succeeded', attempts: 1, error: null });
    expect(attempt).toMatchObject({ response_status: status, error: null });
    expect([health.failing_since, requests]).toEqual([null, 1]);
  }
  for (const { status, delivery, attempt } of await outcomes([301, 400, 500])) {
    const error = status < 400 ? 'redirect' : `http_${status}`;
    expect(delivery).toMatchObject({ status: 'pending', error });
    expect(attempt).toMatchObject({ response_status: status, error });
  }
  expect(await deliver(acts(410))).toMatchObject({ attempt: { response_status: 410 }, endpoint: 'disabled' });
});

test.each<[string, readonly Act[], string]>([
  ['nothing', ['FIN'], 'connection_failed'],
  ['a status line that breaks off', ['HTTP/1.1 200 O', 'RST'], 'connection_failed'],
  ['an interim answer only', ['HTTP/1.1 100 Continue\r\n\r\n', 'FIN'], 'connection_failed'],
  ['another protocol', ['ICY 200 OK\r\n\r\n', 'FIN'], 'connection_failed'],
  ['silence', [], 'timeout'],
])('%s is no answer', async (_, acts, error) => {
  const { delivery, attempt } = await deliver(acts);
  expect(delivery).toMatchObject({ status: 'pending', error });
  expect(attempt).toMatchObject({ response_status: null, error });
});

test('the log keeps what came of the body', async () => {
  const cut = await deliver([`${line(200)}content-length: 99\r\n\r\n{"order":`, 'FIN']);
  expect(cut.attempt?.response_body).toBe('{"order":');
  const long = await deliver([`${line(500)}content-length: 2\r\n\r\nabcdef`]);
  expect(long.attempt?.response_body).toBe('ab');
});
