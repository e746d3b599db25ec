import { revokeApiKey } from '@mostrador/contracts';
import type { Readiness } from '@mostrador/kit/process/health';
import { awakeMs } from '@mostrador/testing/awake';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ProcessName, type Stage, type Store, startStage } from './stage.ts';

// Two gateways share one database. The test can cut only the second gateway off from NATS or from the database.

const holdsWithinMs = 2000;
/** The key cache is valid for 1.5 s. Then the database query times out after 1 s. The rest is tolerance. */
const refusedWithinMs = 1500 + 1000 + 500;
/** A busy machine is late at times. A gateway that accepts a key for too long does so each time. */
const unlessBusy = { retry: 4 };
const gateways = ['gateway', 'gateway-2'] as const;

let stage: Stage;
let store: Store;

beforeAll(async () => {
  stage = await startStage({ processes: [...gateways] });
});
afterAll(() => stage?.stop());
beforeEach(async () => {
  store = await stage.newStore({ calendar: false });
  // A gateway that was cut off, or is late on a busy machine, answers 503 until it has read the keys again.
  for (const gateway of gateways) await expect.poll(() => ask(gateway)).toBe(404);
});

/** Requests an unknown path: 404 with a valid key, 401 with an invalid one, 503 if the gateway cannot check the key. */
const ask = async (gateway: ProcessName, { key } = store) =>
  (await fetch(`${stage.url(gateway)}/nothing`, { headers: { 'x-api-key': key } })).status;
const readiness = async (gateway: ProcessName) =>
  (await (await fetch(new URL('/readyz', stage.url(gateway)))).json()) as Readiness;
/** Either gateway may serve a revocation. Without NATS the second one cannot. */
const takeOutOfTheGroup = async () => {
  stage.proxies.gateway2Nats.cut();
  await waitFor(async () => (await readiness('gateway-2')).dependencies.nats?.state === 'down', {
    description: 'the second gateway is cut off from NATS',
  });
};
const revoke = () => stage.call(revokeApiKey, { body: { key_id: store.keyId } });

/** Sends requests until the key is rejected. Resolves with the milliseconds from `since` until then. */
async function refusedAfterMs(gateway: ProcessName, since: number): Promise<number> {
  await waitFor(async () => (await ask(gateway)) === 401, { description: `${gateway} rejects the key`, intervalMs: 5 });
  return awakeMs() - since;
}

test('both gateways reject a revoked key within 2 s', unlessBusy, async () => {
  await revoke();
  const since = awakeMs();
  for (const afterMs of await Promise.all(gateways.map((gateway) => refusedAfterMs(gateway, since)))) {
    expect(afterMs).toBeLessThan(holdsWithinMs);
  }
});

test('a gateway without NATS rejects a revoked key within 2 s', unlessBusy, async () => {
  await takeOutOfTheGroup();
  try {
    await revoke();
    expect(await refusedAfterMs('gateway-2', awakeMs())).toBeLessThan(holdsWithinMs);
  } finally {
    stage.proxies.gateway2Nats.mend();
  }
});

test('a gateway that was stalled during a revocation rejects the key from its first answer on', async () => {
  await takeOutOfTheGroup();
  stage.signal('gateway-2', 'SIGSTOP');
  // Requests sent during the stall wait in its sockets, next to older answers of its key poll.
  await revoke();
  const waiting = Array.from({ length: 20 }, () => ask('gateway-2'));
  await waitFor(async () => (await ask('gateway')) === 401, { description: 'the other gateway rejects the key' });
  const stoppedSince = performance.now();
  await waitFor(() => performance.now() - stoppedSince > holdsWithinMs, {
    description: '2 s have passed',
  });
  stage.signal('gateway-2', 'SIGCONT');
  // 503: a busy machine is late to check the key.
  for (const status of await Promise.all(waiting)) expect([401, 503]).toContain(status);
  await expect.poll(() => ask('gateway-2')).toBe(401);
  stage.proxies.gateway2Nats.mend();
});

test.each(['cut', 'freeze'] as const)(
  'a gateway without its database (%s) accepts no key after 1.5 s, and the other gateway keeps working',
  unlessBusy,
  async (trouble) => {
    const { gateway2Database } = stage.proxies;
    await takeOutOfTheGroup();
    gateway2Database[trouble]();
    try {
      const since = awakeMs();
      const lastLetInMs = { value: 0 };
      await waitFor(
        async () => {
          const sentAtMs = awakeMs() - since;
          const status = await ask('gateway-2');
          if (status === 404) lastLetInMs.value = sentAtMs;
          return status === 503;
        },
        { description: 'the gateway no longer accepts the key', intervalMs: 5 },
      );
      expect(awakeMs() - since).toBeLessThan(refusedWithinMs);
      expect(lastLetInMs.value).toBeLessThan(1500);
      await revoke();
      for (let asked = 0; asked < 3; asked += 1) expect([401, 503]).toContain(await ask('gateway-2'));
      expect(await refusedAfterMs('gateway', awakeMs())).toBeLessThan(holdsWithinMs);
    } finally {
      gateway2Database.mend();
      stage.proxies.gateway2Nats.mend();
    }
    expect(await refusedAfterMs('gateway-2', awakeMs())).toBeLessThan(holdsWithinMs);
  },
);
