import { once } from 'node:events';
import { defineOperation, Exact, Text } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { Type } from '@sinclair/typebox';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRpcClient, type RpcClient } from './client.ts';
import { AppError } from './errors.ts';
import { createRpcServer, type Handlers, later, type RpcServer, replay, reply } from './server.ts';

const operations = {
  order: defineOperation({
    subject: 'shop.api.orders.place',
    summary: 'Place an order',
    request: { body: Exact({ dish: Text(20) }) },
    reply: Type.Object({ dish: Type.String() }),
  }),
} as const;
const soup = { body: { dish: 'soup' } };

let server: TestNats;
let client: RpcClient;
let running: RpcServer | undefined;
beforeAll(async () => {
  server = await startTestNats();
  client = createRpcClient({ nats: server.nats, log: silentLog() });
});
afterEach(() => running?.drain());
afterAll(() => server?.stop());

/** Serves with one slot and no queue, so that a request that held the slot would block all others. */
async function serve(order: Handlers<typeof operations>['order']): Promise<RpcServer> {
  const { nats } = server;
  const queues = { api: { concurrency: 1, queue: 0 } };
  running = createRpcServer({ nats, service: 'shop', operations, handlers: { order }, log: silentLog(), queues });
  await nats.flush();
  return running;
}

const order = (timeoutMs?: number) => client.call(operations.order, soup, testContext({ timeoutMs }));

test('a hundred requests that wait for later answers hold no slot of the request queue', async () => {
  const kitchen = Promise.withResolvers<void>();
  let waiting = 0;
  await serve(async (_, { body }) =>
    later(async () => {
      waiting += 1;
      await kitchen.promise;
      return body;
    }),
  );
  const orders: Promise<unknown>[] = [];
  for (let count = 1; count <= 100; count += 1) {
    orders.push(order());
    await waitFor(() => waiting === count, { description: `${count} wait` });
  }
  kitchen.resolve();
  expect(await Promise.all(orders)).toEqual(orders.map(() => soup.body));
});

test('a later answer keeps its headers, a later AppError its code, and any other error is internal_error', async () => {
  const answers = [
    async () => reply(soup.body, { etag: '"v7"' }),
    async () => replay(Buffer.from('{"dish":"of yesterday"}')),
    async () => {
      throw new AppError('lead_not_found');
    },
    async () => {
      throw new TypeError('a secret');
    },
  ];
  await serve(async () => later(answers.shift() as (typeof answers)[0]));
  const forward = () => client.forward(operations.order, soup, testContext());
  expect(await forward()).toMatchObject({ headers: { etag: '"v7"', replayed: false } });
  const replayed = await forward();
  expect([replayed.headers.replayed, Buffer.from(replayed.body).toString()]).toEqual([true, '{"dish":"of yesterday"}']);
  await expect(forward()).rejects.toMatchObject({ code: 'lead_not_found' });
  await expect(forward()).rejects.toMatchObject({
    code: 'internal_error',
    detail: expect.not.stringContaining('secret'),
  });
});

test('a later answer that never comes times out at the deadline and does not block the drain', async () => {
  const rpcServer = await serve(async () => later(() => new Promise(() => {})));
  await expect(order(200)).rejects.toMatchObject({ code: 'upstream_timeout' });
  const unanswered = order(400).catch((error) => error);
  await server.nats.flush();
  await rpcServer.drain();
  expect(await unanswered).toBeInstanceOf(AppError);
});

test('a drain ends every wait, and every waiting request gets an answer', async () => {
  let waiting = 0;
  const rpcServer = await serve(async ({ closing }) =>
    later(async () => {
      waiting += 1;
      if (!closing.aborted) await once(closing, 'abort');
      return { dish: 'not ready' };
    }),
  );
  const orders: Promise<unknown>[] = [];
  for (let count = 1; count <= 20; count += 1) {
    orders.push(order());
    await waitFor(() => waiting === count, { description: `${count} wait` });
  }
  await rpcServer.drain();
  expect(await Promise.all(orders)).toEqual(orders.map(() => ({ dish: 'not ready' })));
});
