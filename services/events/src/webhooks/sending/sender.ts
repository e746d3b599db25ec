import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@mostrador/kit/process/log';
import type { Periodic } from '@mostrador/kit/process/periodic';
import type { Dependencies } from '../../dependencies.ts';
import { planDeliveries } from '../planning/plan-deliveries.ts';
import { drainEndpoint } from './drain-endpoint.ts';
import { findDueEndpoints, findUnplanned, type NamedEndpoint } from './due.repository.ts';

const readLimitMs = 5_000;
/** A notice that the feed has grown may get lost, and times of retries pass without one. */
const lookEveryMs = 1_000;
/** Under load a pause collects a batch: a look for every event would cost the database as much as the sending does. */
const batchingPauseMs = 50;
/** How long a stop waits for running attempts. */
const stopLimitMs = 3_000;
/** How many endpoints this process plans or drains at once. */
const mostPlanning = 4;
const mostDraining = 100;

/** Plans deliveries and makes first attempts. `nudge`: look now, because the feeds of these stores have grown. */
export type Sender = Periodic & { nudge(storeIds?: readonly string[]): void };

/**
 * The loop that makes deliveries from the feeds, and sends for the endpoints that no workflow drains. Each endpoint is
 * drained on its own, so one that does not answer delays no other.
 */
export function createSender(dependencies: Dependencies, log: Log): Sender {
  const { systemDatabase } = dependencies;
  const draining = new Map<string, Promise<void>>();
  let stopped = false;
  let nudged = false;
  /** Stores whose feeds have grown, by the notices. */
  const grown = new Set<string>();
  let lookedAtAllMs = Number.NEGATIVE_INFINITY;
  let wake = () => {};
  let loop: Promise<void> | undefined;

  const nudge = (storeIds: readonly string[] = []) => {
    for (const id of storeIds) grown.add(id);
    nudged = true;
    wake();
  };

  const plan = async (): Promise<void> => {
    const all = performance.now() - lookedAtAllMs >= lookEveryMs;
    const stores = all ? null : [...grown];
    grown.clear();
    if (stores?.length === 0) return;
    if (all) lookedAtAllMs = performance.now();
    const scope = { deadline: Date.now() + readLimitMs };
    const unplanned = await systemDatabase.read(scope, (sql) => findUnplanned(sql, stores));
    const queue = unplanned.values();
    const work = async () => {
      for (const endpoint of queue) {
        if (stopped) return;
        if (await planDeliveries(dependencies, endpoint)) nudge([endpoint.store_id]);
      }
    };
    await Promise.all(Array.from({ length: mostPlanning }, work));
  };

  const drain = async ({ store_id: storeId, id: endpointId }: NamedEndpoint): Promise<void> => {
    try {
      const mayBegin = () => !stopped;
      await drainEndpoint(dependencies, { storeId, endpointId, sender: 'service', mayBegin, log });
      // Something may have become due while this endpoint was marked as being drained.
      nudged = true;
    } catch (err) {
      if (!stopped) log.warn({ endpoint: endpointId, err }, 'sending to a webhook endpoint was interrupted');
    }
    draining.delete(endpointId);
    if (nudged) wake();
  };

  const look = async (): Promise<void> => {
    await plan();
    const due = await systemDatabase.read({ deadline: Date.now() + readLimitMs }, (sql) =>
      findDueEndpoints(sql, mostDraining * 2),
    );
    for (const endpoint of due) {
      if (draining.has(endpoint.id) || draining.size >= mostDraining || stopped) continue;
      draining.set(endpoint.id, drain(endpoint));
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
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookEveryMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  return {
    nudge,
    start() {
      loop ??= run();
    },
    async stop() {
      stopped = true;
      wake();
      await loop;
      // The lease of an attempt that takes longer expires, and the delivery is sent again.
      await Promise.race([Promise.all(draining.values()), delay(stopLimitMs, undefined, { ref: false })]);
    },
  };
}
