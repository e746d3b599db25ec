import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../process/log.ts';
import { AppError } from '../rpc/errors.ts';
import type { Kind, OutboxRepository, OutboxRow, Postponement } from './outbox.repository.ts';

/** What the deliveries of a relay have in common. */
export type SharedDeliveryOptions = {
  readonly repository: OutboxRepository;
  readonly log: Log;
  /** How long the delivery waits for a nudge before it sweeps. */
  readonly sweepIntervalMs: number;
  /** Rows claimed at a time. */
  readonly batch: number;
  readonly leaseMs: number;
};

export type OutboxDeliveryOptions = SharedDeliveryOptions & {
  readonly kind: Kind;
  /** Sends one row. A retryable `AppError` means that the receiver is unreachable, for every row. */
  readonly send: (row: OutboxRow) => Promise<void>;
  /** Rows with the same key need only one send. */
  readonly sameAs: (row: OutboxRow) => string;
  readonly parallel: number;
};

/** Delivers one kind of outbox entry. Each kind has its own, so that neither waits while the other's receiver is down. */
export type OutboxDelivery = { start(): void; nudge(): void; stop(): Promise<void> };

type Group = readonly [OutboxRow, ...OutboxRow[]];

/** Sends start only in this share of the lease, so that every send in flight ends well within it. */
const sendingShareOfLease = 1 / 3;
/** Under load a pause collects a batch: a pass for every row or two would cost the database as much as the requests do. */
const batchingPauseMs = 10;
const longestUnreachableWaitMs = 5000;
const longestRejectedWaitMs = 60_000;

/** Claims due rows, sends them, and records the outcome of each, until it is stopped. */
export function createOutboxDelivery(options: OutboxDeliveryOptions): OutboxDelivery {
  const { kind, repository, log } = options;
  let stopped = false;
  let nudged = false;
  let reachable = true;
  let readable = true;
  let wake = () => {};
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopped) {
      nudged = false;
      const more = await pass().then(
        (moreIsWaiting) => {
          readable = true;
          return moreIsWaiting;
        },
        (error) => {
          if (readable) log.warn({ err: error, kind }, 'the outbox cannot be read or written');
          readable = false;
          return false;
        },
      );
      if (more) continue;
      if (nudged && reachable && readable) await pause(batchingPauseMs);
      else await rest();
    }
  }

  /** Claims a batch, sends it, and records the outcomes. True when more rows are likely to wait. */
  async function pass(): Promise<boolean> {
    // While the receiver is down, one row probes it for all, and the others keep their place.
    const limit = reachable ? options.batch : 1;
    const rows = await repository.claim(kind, limit, options.leaseMs);
    if (rows.length === 0) return false;
    const { sent, failed, untried } = await sendAll(groupsOf(rows));
    if (sent.length > 0) await repository.remove(sent);
    if (failed.length > 0) await repository.postpone(failed);
    if (untried.length > 0) await repository.release(untried);
    return reachable && rows.length === limit;
  }

  async function sendAll(groups: readonly Group[]) {
    const sent: string[] = [];
    const failed: Postponement[] = [];
    const untried: string[] = [];
    const until = Date.now() + options.leaseMs * sendingShareOfLease;
    let unreachable = false;
    const remaining = [...groups];
    const sender = async () => {
      for (let group = remaining.shift(); group; group = remaining.shift()) {
        const ids = group.map(({ id }) => id);
        if (unreachable || Date.now() >= until) {
          untried.push(...ids);
          continue;
        }
        try {
          await options.send(group[0]);
          sent.push(...ids);
        } catch (error) {
          unreachable ||= error instanceof AppError && error.retryable;
          failed.push(...group.map((row) => postponement(row, error)));
          log.debug({ err: error, kind, outbox_id: group[0].id }, 'an outbox entry was not delivered');
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(options.parallel, groups.length) }, sender));
    noteReach(!unreachable, failed);
    return { sent, failed, untried };
  }

  function noteReach(now: boolean, failed: readonly Postponement[]): void {
    if (now !== reachable) {
      reachable = now;
      if (now) log.info({ kind }, 'the outbox is delivered again');
      else log.warn({ kind, error: failed[0]?.error }, 'the outbox receiver is unreachable');
    } else if (now && failed.length > 0) {
      log.error({ kind, entries: failed.length, error: failed[0]?.error }, 'outbox entries were rejected');
    }
  }

  /** Groups rows that need only one send. The newest row of each group comes first and is the one that is sent. */
  function groupsOf(rows: readonly OutboxRow[]): Group[] {
    const newestFirst = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const groups = Object.values(Object.groupBy(newestFirst, options.sameAs)) as unknown as Group[];
    return groups.toReversed();
  }

  /** Waits for the next sweep or a nudge. A nudge is ignored while the receiver or PostgreSQL is unreachable. */
  function rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, options.sweepIntervalMs * (0.9 + Math.random() * 0.2));
      wake = () => {
        if (!(reachable && readable) && !stopped) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    start() {
      running ??= run();
    },
    nudge() {
      nudged = true;
      wake();
    },
    async stop() {
      stopped = true;
      wake();
      await running;
    },
  };
}

function postponement({ id, attempts }: OutboxRow, error: unknown): Postponement {
  const isUnreachable = error instanceof AppError && error.retryable;
  const most = isUnreachable ? longestUnreachableWaitMs : longestRejectedWaitMs;
  const waitMs = Math.min(most, 500 * 2 ** Math.min(attempts - 1, 16)) * (0.8 + Math.random() * 0.2);
  const text = error instanceof AppError ? error.code : String(error);
  return { id, waitMs, error: text.slice(0, 300) };
}
