import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '@mostrador/testing/random';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { processNames } from '../../../../packages/platform/src/processes.ts';
import { type Platform, startPlatform } from '../../storm/platform.ts';
import { type FollowupTown, openTown, type Planned } from './followups.ts';

// Kills every process and every server once, in a random order, while follow-ups fall due, and some are cancelled or
// moved.
// To repeat a run: MOSTRADOR_CHAOS_SEED=N npm test -- kill-everything

const seed = Number(process.env.MOSTRADOR_CHAOS_SEED || Date.now() % 1_000_000);
const random = createRandom(seed);
const count = 60;
const dueWithinMs = 12_000;

let platform: Platform;
let town: FollowupTown;
beforeAll(async () => {
  platform = await startPlatform({ random, phones: 0, diskMegabytes: 384 });
  town = await openTown(platform, count);
});
afterAll(async () => {
  await town?.close();
  await platform?.stop();
  platform?.remove();
});

test('no follow-up is lost, sent twice or sent early when every process and every server is killed', async () => {
  process.stdout.write(`The order of the kills has MOSTRADOR_CHAOS_SEED=${seed}\n`);
  // Later than a creation that a busy machine takes long for, and that is sent again.
  const firstMs = Date.now() + 30_000;
  const planned: Planned[] = await Promise.all(
    town.leadIds.map((leadId, index) => town.schedule(leadId, firstMs + Math.floor((index / count) * dueWithinMs))),
  );
  expect(planned).toHaveLength(count);
  const { postgres, nats, temporal } = platform.servers;
  const faults = random.shuffled([
    ...processNames.map((name) => async () => platform.processes.kill(name)),
    ...[postgres, nats, temporal].map((server) => async () => {
      await server.kill();
      await server.start();
    }),
  ]);
  const shuffled = random.shuffled(planned);
  const cancelled = shuffled.slice(0, count / 4);
  const moved = shuffled.slice(count / 4, count / 2);
  await pause(firstMs - Date.now());
  const cancelling = cancelled.map((followup) => town.cancel(followup, followup.dueMs + random.below(600) - 300));
  // Half of them to an earlier time, the others at about the time at which they fire.
  const moving = moved.map((followup, index) => {
    const { dueMs } = followup;
    return index % 2 === 0
      ? town.move(followup, firstMs + random.below(1000), firstMs + 2_000 + random.below(3_000))
      : town.move(followup, dueMs + random.below(600) - 300, dueMs + 3_000 + random.below(9_000));
  });
  for (const fault of faults) {
    await fault();
    await pause(random.below((2 * dueWithinMs) / faults.length));
  }
  await Promise.all([...cancelling, ...moving]);
  await platform.untilReady(120_000);

  const rows = await waitFor(
    async () => {
      await town.settleUnknown();
      const all = await town.rows();
      return all.every(({ status }) => status !== 'pending' && status !== 'sending') && all;
    },
    { description: 'every follow-up is final', intervalMs: 500 },
  );
  expect(rows).toHaveLength(count);
  const counts = Object.entries(Object.groupBy(rows, ({ status }) => status));
  process.stdout.write(`${counts.map(([status, those]) => `${those?.length} ${status}`).join(', ')}\n`);
  expect(rows.filter(({ status }) => status === 'sent').length).toBeGreaterThan(count / 2);
  for (const { id, dueMs, cancelAnswer, moveAnswer, movedToMs = dueMs } of planned) {
    const status = rows.find((row) => row.id === id)?.status;
    const story = { id, status, cancelAnswer, moveAnswer, sent: town.timesSent(id) };
    if (cancelAnswer === 200) expect(story).toMatchObject({ status: 'cancelled', sent: 0 });
    if (status === 'sent') expect(story).toMatchObject({ sent: 1 });
    else if (status === 'cancelled') expect(story).toMatchObject({ sent: 0, cancelAnswer: expect.any(Number) });
    else {
      expect(story).toMatchObject({ status: 'failed', sent: 0 });
      expect(town.settledByHand).toContain(id);
    }
    // Without an answer, the test does not know to which time it was due.
    const unknown = moveAnswer !== undefined && moveAnswer !== 200 && moveAnswer !== 409;
    const earliestMs = moveAnswer === 200 ? movedToMs : unknown ? Math.min(dueMs, movedToMs) : dueMs;
    expect(town.sentAtMs(id) ?? earliestMs).toBeGreaterThanOrEqual(earliestMs);
  }
});
