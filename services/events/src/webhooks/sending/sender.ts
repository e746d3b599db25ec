import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@mostrador/kit/process/log';
import type { Periodic } from '@mostrador/kit/process/periodic';
import { createRest } from '@mostrador/kit/process/rest';
import type { Dependencies } from '../../dependencies.ts';
import { planDeliveries } from '../planning/plan-deliveries.ts';
import { claim } from './claim-next.ts';
import { findDueEndpoints, findUnplanned, type NamedEndpoint } from './due.repository.ts';
import { makeAttempt } from './make-attempt.ts';

const readLimitMs = 5_000;
/** A notice that the feed has grown may get lost, and times of retries pass without one. */
const lookEveryMs = 1_000;
/** Under load a pause collects a batch: a look for every event would cost the database as much as the sending does. */
const batchingPauseMs = 50;
/** How long a stop waits for running attempts. */
const stopLimitMs = 3_000;
/** How many endpoints this process plans or claims for at once in a look, and how many attempts it runs. */
const mostClaiming = 4;
const mostRunning = 500;

/** Plans deliveries and makes first attempts. `nudge`: look now, because the feeds of these stores have grown. */
export type Sender = Periodic & { nudge(storeIds?: readonly string[]): void };

/**
 * The loop that makes deliveries from the feeds, and sends for the endpoints that no workflow carries. An attempt delays
 * no other: neither those of other endpoints nor, up to `max_in_flight`, those of its own.
 */
export function createSender(dependencies: Dependencies, log: Log): Sender {
  const { systemDatabase } = dependencies;
  const running = new Set<Promise<void>>();
  let stopped = false;
  let nudged = false;
  /** Stores whose feeds have grown, by the notices. */
  const grown = new Set<string>();
  let lookedAtAllMs = Number.NEGATIVE_INFINITY;
  const rest = createRest();
  let loop: Promise<void> | undefined;

  const nudge = (storeIds: readonly string[] = []) => {
    for (const id of storeIds) grown.add(id);
    nudged = true;
    rest.wake();
  };

  const look = async (): Promise<void> => {
    const all = performance.now() - lookedAtAllMs >= lookEveryMs;
    const stores = all ? null : [...grown];
    grown.clear();
    if (all) lookedAtAllMs = performance.now();
    const scope = { deadline: Date.now() + readLimitMs };
    const unplanned = stores?.length === 0 ? [] : await systemDatabase.read(scope, (sql) => findUnplanned(sql, stores));
    const due = await systemDatabase.read(scope, (sql) => findDueEndpoints(sql, mostRunning));
    const endpoints = new Map([...due, ...unplanned].map((endpoint) => [endpoint.id, endpoint])).values();
    const work = async () => {
      for (const endpoint of endpoints) {
        if (stopped) return;
        if (endpoint.sender === 'service') await take(endpoint);
        else if (await planDeliveries(dependencies, endpoint)) nudge([endpoint.store_id]);
      }
    };
    await Promise.all(Array.from({ length: mostClaiming }, work));
  };

  /** Plans and claims deliveries of an endpoint, and begins their attempts. */
  const take = async (endpoint: NamedEndpoint): Promise<void> => {
    const { store_id: storeId, id: endpointId } = endpoint;
    if (running.size >= mostRunning) return nudge([storeId]);
    try {
      const { claimed, more } = await claim(dependencies, { storeId, endpointId, sender: 'service' });
      if (more) nudge([storeId]);
      for (const one of claimed) {
        const attempt: Promise<void> = makeAttempt(dependencies, one, log).then((dueSoon) => {
          running.delete(attempt);
          if (dueSoon && !stopped) void take(endpoint);
        });
        running.add(attempt);
      }
    } catch (err) {
      if (!stopped) log.warn({ endpoint: endpointId, err }, 'the look for due webhooks of an endpoint failed');
    }
  };

  const run = async (): Promise<void> => {
    while (!stopped) {
      nudged = false;
      await look().catch((err) => {
        if (!stopped) log.warn({ err }, 'the look for due webhooks failed');
      });
      if (stopped) return;
      if (nudged) {
        await delay(batchingPauseMs);
        continue;
      }
      await rest.for(lookEveryMs);
    }
  };

  return {
    nudge,
    start() {
      loop ??= run();
    },
    async stop() {
      stopped = true;
      rest.wake();
      await loop;
      // The lease of an attempt that takes longer expires, and the delivery is sent again.
      await Promise.race([Promise.all(running), delay(stopLimitMs, undefined, { ref: false })]);
    },
  };
}
