import { createHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '@mostrador/testing/random';
import { waitFor } from '@mostrador/testing/wait';
import { createAsker } from './ask.ts';
import type { ChaosStore, Journal, ResponseTimes } from './journal.ts';
import { withServers } from './look.ts';
import { crowdsWay, type Platform } from './platform.ts';
import { wishMessage } from './wishes.ts';

type Stage = {
  readonly platform: Platform;
  readonly random: Random;
  readonly journal: Journal;
  readonly crowd: readonly ChaosStore[];
};

const clients = 5;
/** Under load, less work than this waits at any time. */
const usualBacklog = 20;

/**
 * Measures the other stores' response times twice for `windowMs`: before and beside the hanging provider of the crowd.
 * Each time every store of the crowd sends a message, so that only the provider differs. Work that earlier faults held up
 * would slow the first measurement. So this waits for it, at most for `calmWithinMs`.
 */
export async function hangForCrowd(stage: Stage, windowMs: number, calmWithinMs: number): Promise<string> {
  const { platform, journal } = stage;
  const calm = await untilCalm(platform, calmWithinMs);
  const before = await timesDuring(journal, () => sendFromAll(stage, windowMs));
  await platform.ways.trouble(crowdsWay, 'silence');
  const beside = await timesDuring(journal, () => sendFromAll(stage, windowMs));
  await platform.ways.mend(crowdsWay);
  journal.besideCrowd.push({ before, beside });
  const told = `p99 of the others ${before.p99Ms.toFixed(0)} ms before, ${beside.p99Ms.toFixed(0)} ms beside it`;
  return calm ? told : `${told}, with work left of earlier faults`;
}

/** Resolves with false when earlier faults' work is still there at the limit. */
const untilCalm = (platform: Platform, limitMs: number): Promise<boolean> =>
  withServers(platform, async ({ sql }) => {
    const isCalm = async () => {
      const [row] = await sql<{ backlog: number }[]>`
        select (select count(*)::int from scheduling.outbox) + (select count(*)::int from crm.outbox)
             + (select count(*)::int from messaging.outbox)
             + (select count(*)::int from messaging.inbound_payloads where processed_at is null)
             + (select count(*)::int from messaging.messages where status in ('queued', 'sending')) as backlog`;
      return (row?.backlog ?? 0) < usualBacklog;
    };
    const options = { description: 'the work of earlier faults is done', timeoutMs: limitMs, intervalMs: 500 };
    return await waitFor(isCalm, options).catch(() => false);
  });

/** Sends one message from each store, evenly over the time. */
async function sendFromAll({ platform, random, journal, crowd }: Stage, ms: number): Promise<void> {
  const asker = createAsker({ baseUrls: platform.baseUrls, stores: crowd, journal });
  const entries = crowd.map((store) => wishMessage(store, random));
  // Clients of the load work with the latest entries, so these stand before them.
  journal.entries.unshift(...entries);
  const startedAt = performance.now();
  const send = async (first: number) => {
    for (let index = first; index < entries.length; index += clients) {
      await pause(Math.max(0, startedAt + (ms * index) / entries.length - performance.now()));
      await asker.create(entries[index] as (typeof entries)[number]);
    }
  };
  await Promise.all([pause(ms), ...Array.from({ length: clients }, (_, first) => send(first))]);
}

async function timesDuring(journal: Journal, work: () => Promise<unknown>): Promise<ResponseTimes> {
  const histogram = createHistogram();
  journal.watch = (ms) => histogram.record(Math.max(1, Math.round(ms * 1_000)));
  await work();
  journal.watch = null;
  return { p99Ms: histogram.percentile(99) / 1_000, requests: histogram.count };
}
