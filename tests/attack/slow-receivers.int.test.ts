// Found from outside (N4c): a process ran 500 attempts, without a share for each store. Three stores whose receivers took
// their time filled them, and the webhooks of all other stores waited for 6 s.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhookEndpoint, drainWebhook } from '@mostrador/contracts';
import { awakeMs } from '@mostrador/testing/awake';
import { testContext } from '@mostrador/testing/context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../services/events/test/events.ts';
import { appendTo, stageWebhook, type WebhookStage } from '../../services/events/test/webhooks.ts';

/** Where the slow receiver is. A process limits how many attempts it makes at one host. */
const slowHosts = Array.from({ length: 100 }, (_, number) => `127.0.1.${number + 1}`);
/** How much longer others may wait. */
const boundMs = 1_000;
/** A busy machine is late at times. A service in which others wait for the slow ones is so each time. */
const unlessBusy = { retry: 4 };
/** Until the attempts end, 15 s after they began, the unmended service sends for no other store. */
const limits = { callMs: 15_000, leaseMs: 20_000 };

let events: TestEvents;
let slow: Awaited<ReturnType<typeof startSlow>>;
let other: WebhookStage;

beforeEach(async () => {
  events = await startEvents({ limits, allowHosts: ['127.0.0.1', ...slowHosts].join(',') });
  events.startSender();
  slow = await startSlow();
  other = await stageWebhook(events);
});
afterEach(async () => {
  await slow?.close();
  expect(other?.receiver.faults).toEqual([]);
  await other?.close();
  await events?.stop();
});

/** A receiver that answers nothing. */
async function startSlow() {
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    request.resume();
    response.once('close', () => {
      open -= 1;
    });
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  return {
    urlAt: (host: string) => `http://${host}:${(server.address() as AddressInfo).port}/`,
    open: () => open,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Stores whose endpoints lead to the slow receiver: each under as few names as `hosts` has. */
async function attackers(count: number, endpoints: number, hosts: readonly string[] = slowHosts): Promise<string[]> {
  const stores = Array.from({ length: count }, () => randomUUID());
  let made = 0;
  const create = (storeId: string) => {
    const url = slow.urlAt(hosts[made++ % hosts.length] ?? '');
    const body = { url, max_in_flight: 20, ordering: 'none' as const };
    return events.rpc.call(createWebhookEndpoint, { body }, testContext({ storeId }));
  };
  for (let round = 0; round < endpoints; round += 1) await Promise.all(stores.map(create));
  return stores;
}

const append = (storeId: string, count: number) =>
  appendTo(
    events,
    storeId,
    Array.from({ length: count }, () => randomUUID()),
  );

/** How long events of the other store take to arrive, in milliseconds: the longest of some. */
async function slowestOfOther(): Promise<number> {
  let slowest = 0;
  for (let sent = 0; sent < 5; sent += 1) {
    const known = other.receiver.received.length;
    const begun = awakeMs();
    await append(other.storeId, 1);
    await expect.poll(() => other.receiver.received.length, { interval: 5 }).toBeGreaterThanOrEqual(known + 1);
    slowest = Math.max(slowest, awakeMs() - begun);
  }
  return slowest;
}

test.each([
  { stores: 3, endpoints: 10, each: 20 },
  { stores: 50, endpoints: 2, each: 10 },
])(
  '$stores stores with slow receivers delay others by less than a second',
  unlessBusy,
  async ({ stores, endpoints, each }) => {
    const before = await slowestOfOther();
    const attacking = await attackers(stores, endpoints);
    await Promise.all(attacking.map((storeId) => append(storeId, each)));
    // They have all attempts that they can get.
    let last = 0;
    const isFull = () => {
      const [grew, open] = [slow.open() !== last, slow.open()];
      last = open;
      return open >= 100 && !grew;
    };
    await expect.poll(isFull, { interval: 500 }).toBe(true);
    await Promise.all(attacking.map((storeId) => append(storeId, each)));
    const during = await slowestOfOther();
    expect(slow.open()).toBeGreaterThanOrEqual(100);
    expect(during - before).toBeLessThan(boundMs);
  },
);

test(
  'many stores with many endpoints at one slow host take a part of the process, and others send at once',
  unlessBusy,
  async () => {
    const before = await slowestOfOther();
    const attacking = await attackers(60, 4, slowHosts.slice(0, 1));
    await Promise.all(attacking.map((storeId) => append(storeId, 10)));
    await expect.poll(() => slow.open()).toBe(100);
    await Promise.all(attacking.map((storeId) => append(storeId, 10)));
    expect((await slowestOfOther()) - before).toBeLessThan(boundMs);
    expect(slow.open()).toBe(100);
  },
);

test('the steps of workflows whose receivers are slow leave places to other stores', async () => {
  const stores = await attackers(5, 10);
  await events.stopSender();
  await Promise.all([...stores, other.storeId].map((storeId) => append(storeId, 5)));
  const endpoints = await events.adminSql<{ store_id: string; id: string }[]>`
    update webhook_endpoints set sender = 'workflow' returning store_id, id`;
  const step = ({ store_id: storeId, id }: { store_id: string; id: string }) =>
    events.rpc.call(drainWebhook, { body: { endpoint_id: id } }, testContext({ storeId, timeoutMs: 20_000 }));
  let answered = 0;
  const attacking = endpoints.filter(({ store_id }) => stores.includes(store_id));
  const steps = attacking.map((endpoint) =>
    step(endpoint).then((next) => {
      answered += 1;
      return next;
    }),
  );
  // A worker has 50 places.
  await expect.poll(() => answered).toBeGreaterThan(25);
  expect(attacking).toHaveLength(50);
  await expect.poll(() => slow.open()).toBeGreaterThan(0);
  expect(await other.drain()).toMatchObject({ done: true });
  expect(other.receiver.received).toHaveLength(5);
  await slow.close();
  await Promise.all(steps);
});
