import { connectNats } from '@mostrador/kit/clients/nats';
import { silentLog } from '@mostrador/testing/context';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutcomeWaiters } from './outcome-waiters.ts';

let server: TestNats;
beforeAll(async () => {
  server = await startTestNats();
});
afterAll(() => server?.stop());

const inMs = (ms: number) => Date.now() + ms;
const waiters = (most = 10) => createOutcomeWaiters({ nats: server.nats, log: silentLog(), most });
const tookMs = async (waiting: Promise<void>) => {
  const startedMs = performance.now();
  await waiting;
  return performance.now() - startedMs;
};

test('an announcement from another process ends all waits for that message and no others', async () => {
  const nats = await connectNats({ url: server.url, name: 'messaging', log: silentLog() });
  const here = waiters();
  const there = createOutcomeWaiters({ nats, log: silentLog(), most: 10 });
  await Promise.all([server.nats.flush(), nats.flush()]);
  const waits = [here.wait('a', inMs(5_000)), here.wait('a', inMs(5_000))];
  const other = here.wait('b', inMs(300));
  there.announce('a');
  expect(await tookMs(Promise.all(waits).then(() => {}))).toBeLessThan(250);
  expect(here.waiting()).toBe(1);
  expect(await tookMs(other)).toBeGreaterThan(20);
  expect(here.waiting()).toBe(0);
  await nats.close();
});

test('a wait ends at its time, at its abort signal, and at once when either has passed', async () => {
  const { wait, waiting } = waiters();
  const stop = new AbortController();
  const stopped = wait('a', inMs(60_000), stop.signal);
  expect(await tookMs(wait('a', inMs(50)))).toBeLessThan(1_000);
  stop.abort();
  expect(await tookMs(stopped)).toBeLessThan(50);
  expect(await tookMs(wait('a', inMs(60_000), stop.signal))).toBeLessThan(50);
  expect(await tookMs(wait('a', inMs(-1)))).toBeLessThan(50);
  expect(waiting()).toBe(0);
});

test('a request beyond the limit does not wait at all', async () => {
  const { wait, waiting, announce } = waiters(3);
  const waits = ['a', 'b', 'c'].map((id) => wait(id, inMs(60_000)));
  expect(await tookMs(wait('d', inMs(60_000)))).toBeLessThan(50);
  expect(waiting()).toBe(3);
  announce('a');
  const next = wait('d', inMs(60_000));
  expect(waiting()).toBe(3);
  for (const id of ['b', 'c', 'd']) announce(id);
  await Promise.all([...waits, next]);
});

// Must be the last test: it stops the server.
test('without NATS an announcement still ends the waits in its own process', async () => {
  const { wait, announce } = waiters();
  await server.stopServer();
  const waiting = wait('a', inMs(60_000));
  announce('a');
  expect(await tookMs(waiting)).toBeLessThan(50);
});
