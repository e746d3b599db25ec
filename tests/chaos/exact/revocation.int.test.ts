import { revokeApiKey } from '@mostrador/contracts';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ProcessName, type Stage, type Store, startStage } from './stage.ts';

// Two gateways over one database, as they are run. The second is reached by its own address, and its NATS and its
// database by ways that can be taken from it alone.

const holdsWithinMs = 2000;
/** Known keys are used this long without news, and then a database that does not answer is asked for a second. */
const refusedWithinMs = 1500 + 1000 + 500;
const gateways = ['gateway', 'gateway-2'] as const;

let stage: Stage;
let store: Store;

beforeAll(async () => {
  stage = await startStage({ processes: [...gateways] });
});
afterAll(() => stage?.stop());
beforeEach(async () => {
  store = await stage.newStore({ calendar: false });
  for (const gateway of gateways) expect(await ask(gateway)).toBe(404);
});

/** A path that nobody serves: 404 with a valid key, 401 without, 503 where that cannot be known. */
const ask = async (gateway: ProcessName, { key } = store) =>
  (await fetch(`${stage.url(gateway)}/nothing`, { headers: { 'x-api-key': key } })).status;
/** Whoever revokes is answered by either gateway: here by the one that can. */
const takeOutOfTheGroup = () => stage.proxies.gateway2Nats.cut();
const revoke = () => stage.call(revokeApiKey, { body: { key_id: store.keyId } });

/** Asks all the time until it is refused, and says how long after `since` that was. */
async function refusedAfterMs(gateway: ProcessName, since: number): Promise<number> {
  await waitFor(async () => (await ask(gateway)) === 401, { description: `${gateway} refuses the key`, intervalMs: 5 });
  return performance.now() - since;
}

test('a revocation holds on both gateways within two seconds', async () => {
  await revoke();
  const since = performance.now();
  for (const afterMs of await Promise.all(gateways.map((gateway) => refusedAfterMs(gateway, since)))) {
    expect(afterMs).toBeLessThan(holdsWithinMs);
  }
});

test('a revocation holds within two seconds on a gateway that is cut off from NATS', async () => {
  stage.proxies.gateway2Nats.cut();
  try {
    await revoke();
    expect(await refusedAfterMs('gateway-2', performance.now())).toBeLessThan(holdsWithinMs);
  } finally {
    stage.proxies.gateway2Nats.mend();
  }
});

test('a gateway that was stopped over a revocation refuses from its first answer on', async () => {
  takeOutOfTheGroup();
  stage.signal('gateway-2', 'SIGSTOP');
  // Sent while it is stopped: they lie in its sockets when it goes on, beside whatever its poll was told before.
  await revoke();
  const waiting = Array.from({ length: 20 }, () => ask('gateway-2'));
  await waitFor(async () => (await ask('gateway')) === 401, { description: 'the other gateway refuses the key' });
  const stoppedSince = performance.now();
  await waitFor(() => performance.now() - stoppedSince > holdsWithinMs, {
    description: 'two seconds have passed',
    timeoutMs: 4000,
  });
  stage.signal('gateway-2', 'SIGCONT');
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => 401));
  expect(await ask('gateway-2')).toBe(401);
  stage.proxies.gateway2Nats.mend();
});

test.each(['cut', 'freeze'] as const)(
  'a gateway whose database is away (%s) lets nobody in after 1.5 s, and the other one goes on',
  async (trouble) => {
    const { gateway2Database } = stage.proxies;
    takeOutOfTheGroup();
    gateway2Database[trouble]();
    try {
      const since = performance.now();
      const lastLetInMs = { value: 0 };
      await waitFor(
        async () => {
          const sentAtMs = performance.now() - since;
          const status = await ask('gateway-2');
          if (status === 404) lastLetInMs.value = sentAtMs;
          return status === 503;
        },
        { description: 'the key is not taken any more', intervalMs: 5 },
      );
      expect(performance.now() - since).toBeLessThan(refusedWithinMs);
      expect(lastLetInMs.value).toBeLessThan(1500);
      await revoke();
      for (let asked = 0; asked < 3; asked += 1) expect([401, 503]).toContain(await ask('gateway-2'));
      expect(await refusedAfterMs('gateway', performance.now())).toBeLessThan(holdsWithinMs);
    } finally {
      gateway2Database.mend();
      stage.proxies.gateway2Nats.mend();
    }
    expect(await refusedAfterMs('gateway-2', performance.now())).toBeLessThan(holdsWithinMs);
  },
);
