import { setTimeout as delay } from 'node:timers/promises';
import { maxInFlight } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import { type Periodic, untilTick } from '@mostrador/kit/process/periodic';
import { createWakeablePause } from '@mostrador/kit/process/wakeable-pause';
import { createRequestQueue } from '@mostrador/kit/rpc/request-queue';
import type { Dependencies } from '../../dependencies.ts';
import {
  type EndpointToSend,
  findDueEndpoints,
  findNextUnplanned,
  findReplaying,
  findUnplanned,
  type NamedEndpoint,
} from '../endpoints/watch.repository.ts';
import { claimDue } from './claim-next.ts';
import { makeAttempt } from './make-attempt.ts';
import { planDeliveries } from './plan-deliveries.ts';
import { createShares } from './shares.ts';

const readLimitMs = 5_000;
/** A notice that the feed has grown may get lost, and times of retries pass without one. */
const lookEveryMs = 1_000;
/** Under load a pause collects a batch: a look for every event would cost the database as much as the sending does. */
const batchingPauseMs = 50;
/** How long a stop waits for running attempts. */
const stopLimitMs = 3_000;
/** How many endpoints this process plans or claims for at once. A store leaves one place to the others. */
const claiming = { concurrency: 4, perStore: 3, queue: 5_000 };
/** How many attempts this process runs. */
const running = { most: 500, reserve: 100 };
/** The most due endpoints that a look finds. */
const mostFound = 500;
/** How many enabled endpoints a look of all stores goes past. The next one goes on behind them. */
const mostPassed = 2_000;

/** Plans deliveries and makes first attempts. `nudge`: look now, because the feeds of these stores have grown. */
export type Sender = Periodic & { nudge(storeIds?: readonly string[]): void };

/**
 * The loop that makes deliveries from the feeds, and sends for the endpoints that no workflow carries. An attempt delays
 * no other: neither those of other endpoints nor, up to `max_in_flight`, those of its own. Stores have a fair share of the
 * claims and of the attempts.
 */
export function createSender(dependencies: Dependencies, log: Log): Sender {
  const { systemDatabase, hostPlaces } = dependencies;
  const attempts = new Set<Promise<void>>();
  const shares = createShares(running);
  const claims = createRequestQueue(claiming);
  /** The endpoints in the queue of claims. */
  const queued = new Set<string>();
  /** The endpoints that wait for a place at their host. */
  const crowded = new Set<string>();
  /** Stores whose share was too small for what is due. */
  const waiting = new Set<string>();
  let stopped = false;
  let nudged = false;
  /** Stores whose feeds have grown, by the notices. */
  const grown = new Set<string>();
  let lookedAtAllMs = Number.NEGATIVE_INFINITY;
  /** The last endpoint that a look of all stores has passed. */
  let passed: NamedEndpoint | undefined;
  const pause = createWakeablePause();
  let loop: Promise<void> | undefined;

  const nudge = (storeIds: readonly string[] = []) => {
    for (const id of storeIds) grown.add(id);
    nudged = true;
    pause.wake();
  };

  /** What is due, and what to plan: of the stores that had a notice, and once a second what had none or lost it. */
  const findDue = async (): Promise<void> => {
    const all = performance.now() - lookedAtAllMs >= 0.9 * lookEveryMs;
    if (all) lookedAtAllMs = performance.now();
    const stores = [...grown];
    grown.clear();
    const known = { stores: shares.full(), endpoints: [...queued, ...crowded] };
    const part = { after: passed, limit: mostPassed };
    const [due, ofStores, next, replaying] = await systemDatabase.read({ deadline: Date.now() + readLimitMs }, (sql) =>
      Promise.all([
        findDueEndpoints(sql, known, mostFound),
        stores.length > 0 ? findUnplanned(sql, stores) : [],
        all ? findNextUnplanned(sql, part) : undefined,
        all || stores.length > 0 ? findReplaying(sql, all ? null : stores) : [],
      ]),
    );
    if (next) passed = next.last;
    for (const endpoint of [...due, ...ofStores, ...(next?.unplanned ?? []), ...replaying]) enqueue(endpoint);
  };

  const enqueue = (endpoint: EndpointToSend) => {
    if (queued.has(endpoint.id) || crowded.has(endpoint.id)) return;
    queued.add(endpoint.id);
    claims.offer(endpoint.store_id, {
      run: () => {
        queued.delete(endpoint.id);
        return stopped ? Promise.resolve() : take(endpoint);
      },
      // A later look finds it again.
      refuse: () => void queued.delete(endpoint.id),
    });
  };

  const take = async (endpoint: EndpointToSend): Promise<void> => {
    try {
      if (endpoint.sender === 'service') await begin(endpoint);
      else if (await planDeliveries(dependencies, endpoint)) nudge([endpoint.store_id]);
    } catch (err) {
      if (!stopped) log.warn({ endpoint: endpoint.id, err }, 'the look for due webhooks of an endpoint failed');
    }
  };

  /** Plans and claims deliveries of an endpoint within the share of its store, and begins their attempts. */
  const begin = async (endpoint: EndpointToSend): Promise<void> => {
    const storeId = endpoint.store_id;
    const places = shares.take(storeId, maxInFlight);
    let used = 0;
    if (places < maxInFlight) waiting.add(storeId);
    if (places === 0) return;
    try {
      const taken = await claimDue(dependencies, { storeId, id: endpoint.id }, { sender: 'service', most: places });
      if (taken.more) nudge([storeId]);
      if (taken.crowdedHost !== undefined) awaitPlace(taken.crowdedHost, endpoint);
      if (taken.kind === 'answer') return;
      used = taken.claimed.length;
      for (const one of taken.claimed) {
        const attempt: Promise<void> = makeAttempt(dependencies, one, log).then((dueSoon) => {
          attempts.delete(attempt);
          shares.give(storeId, 1);
          if (stopped) return;
          if (dueSoon) enqueue(endpoint);
          if (waiting.delete(storeId)) nudge([storeId]);
        });
        attempts.add(attempt);
      }
    } finally {
      shares.give(storeId, places - used);
    }
  };

  /** Until its host has a place again, no look finds the endpoint. */
  const awaitPlace = (host: string, endpoint: EndpointToSend) => {
    crowded.add(endpoint.id);
    hostPlaces.whenGiven(host, () => {
      crowded.delete(endpoint.id);
      enqueue(endpoint);
    });
  };

  const run = async (): Promise<void> => {
    while (!stopped) {
      nudged = false;
      await findDue().catch((err) => {
        if (!stopped) log.warn({ err }, 'the look for due webhooks failed');
      });
      if (stopped) return;
      if (nudged) {
        await delay(batchingPauseMs);
        continue;
      }
      await pause.for(untilTick(lookEveryMs, performance.now()));
    }
  };

  return {
    nudge,
    start() {
      loop ??= run();
    },
    async stop() {
      stopped = true;
      pause.wake();
      await loop;
      await claims.idle();
      // The lease of an attempt that takes longer expires, and the delivery is sent again.
      await Promise.race([Promise.all(attempts), delay(stopLimitMs, undefined, { ref: false })]);
    },
  };
}
