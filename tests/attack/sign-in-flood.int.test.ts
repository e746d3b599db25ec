// S2: sign-ins and session checks of all stores shared one queue of accounts, and every network of an IPv6 customer
// had attempts of its own. 60 sign-ins a second raised a session check from 3 ms to 7.8 s.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { awakeMs } from '@mostrador/testing/awake';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPlatform } from '../chaos/exact/stage.ts';
import { createPeople } from './people.ts';

const perSecond = 60;
const floodMs = 12_000;

let stage: Awaited<ReturnType<typeof startPlatform>>;
let people: ReturnType<typeof createPeople>;

beforeAll(async () => {
  stage = await startPlatform({
    service: 'events',
    processes: ['gateway', 'crm'],
    requestTimeoutMs: 20_000,
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
  });
  people = createPeople(stage);
});
afterAll(() => stage?.stop());

/** Repeats a request until `isOver`, and returns how long each took in milliseconds, sorted. */
async function timesOf(request: () => Promise<Response>, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) {
    const sentAtMs = awakeMs();
    const answer = await request();
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
    times.push(awakeMs() - sentAtMs);
    await pause(20);
  }
  return times.sort((a, b) => a - b);
}
const median = (times: readonly number[]): number => times[Math.floor(times.length / 2)] ?? Number.NaN;

test(`${perSecond} sign-ins a second from as many networks do not slow the session checks and the API of others`, async () => {
  const person = await people.signIn(await people.newStore());
  const { key } = await stage.newStore();
  const checkSession = () => people.ask('GET', '/session', { cookie: person.cookie });
  const readLeads = () => people.ask('GET', '/leads', { cookie: person.cookie });
  const callApi = () => fetch(`${stage.url()}/leads`, { headers: { 'x-api-key': key } });
  const measure = async (isOver: () => boolean) =>
    (await Promise.all([checkSession, readLeads, callApi].map((request) => timesOf(request, isOver)))).map(median);

  const quietUntilMs = performance.now() + 3_000;
  const quiet = await measure(() => performance.now() > quietUntilMs);

  const statuses = new Map<number, number>();
  const attempts: Promise<void>[] = [];
  const attempt = async () => {
    const body = { email: `${randomUUID()}@example.com`, password: 'not this one' };
    const { status } = await people.ask('POST', '/session', { body });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  const untilMs = performance.now() + floodMs;
  const flood = (async () => {
    while (performance.now() < untilMs) {
      for (let sent = 0; sent < perSecond / 10; sent += 1) attempts.push(attempt());
      await pause(100);
    }
  })();
  const flooded = await measure(() => performance.now() > untilMs);
  await flood;
  await Promise.all(attempts);

  // The queue that all shared refused the checks of others, or made them wait for seconds. The hashes take the processor
  // from all, so a slow machine is slower than when it is quiet.
  const limitMs = Math.max(2_000, 60 * Math.max(...quiet));
  for (const ms of flooded) expect(ms).toBeLessThan(limitMs);
  // Those that were not checked are refused, and may come back.
  expect([...statuses.keys()].filter((status) => ![401, 429, 503].includes(status))).toEqual([]);
});
