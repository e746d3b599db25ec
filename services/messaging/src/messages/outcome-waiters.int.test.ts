import { connectNats } from '@mostrador/kit/rpc/nats';
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
/** Longer than a test may take: a wait that is not ended early fails its test by the test's time limit. */
const never = () => inMs(3_600_000);

test('an announcement from another process ends all waits for that message and no others', async () => {
  const nats = await connectNats({ url: server.url, name: 'messaging', log: silentLog() });
  const here = waiters();
  const there = createOutcomeWaiters({ nats, log: silentLog(), most: 10 });
  await Promise.all([server.nats.flush(), nats.flush()]);
  const waits = [here.wait('a', never()), here.wait('a', never())];
  const other = here.wait('b', never());
  there.announce('a');
  await Promise.all(waits);
  expect(here.waiting()).toBe(1);
  there.announce('b');
  await other;
  expect(here.waiting()).toBe(0);
  await nats.close();
});

test('a wait ends at its time, at its abort signal, and at once when either has passed', async () => {
  const { wait, waiting } = waiters();
  const stop = new AbortController();
  const stopped = wait('a', never(), stop.signal);
  const untilMs = inMs(50);
  await wait('a', untilMs);
  // Node's timers fire up to 1 ms early.
  expect(Date.now()).toBeGreaterThanOrEqual(untilMs - 1);
  expect(waiting()).toBe(1);
  stop.abort();
  await stopped;
  await wait('a', never(), stop.signal);
  await wait('a', inMs(-1));
  expect(waiting()).toBe(0);
});

test('a request beyond the limit does not wait at all', async () => {
  const { wait, waiting, announce } = waiters(3);
  const waits = ['a', 'b', 'c'].map((id) => wait(id, never()));
  await wait('d', never());
  expect(waiting()).toBe(3);
  announce('a');
  const next = wait('d', never());
  expect(waiting()).toBe(3);
  for (const id of ['b', 'c', 'd']) announce(id);
  await Promise.all([...waits, next]);
});

// Must be the last test: it stops the server.
test('without NATS an announcement still ends the waits in its own process', async () => {
  const { wait, announce } = waiters();
  await server.stopServer();
  const waiting = wait('a', never());
  announce('a');
  await waiting;
});
