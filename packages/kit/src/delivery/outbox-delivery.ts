import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../process/log.ts';
import { AppError } from '../rpc/errors.ts';
import type { Kind, OutboxRepository, OutboxRow, Postponement } from './outbox.repository.ts';

export type LaneOptions = {
  readonly kind: Kind;
  /** Sends one row. An AppError that is retryable means that the other side is out of reach, for every row. */
  readonly send: (row: OutboxRow) => Promise<void>;
  /** Rows with the same key need only one sending. */
  readonly sameAs: (row: OutboxRow) => string;
  readonly parallel: number;
  readonly batch: number;
  readonly leaseMs: number;
  readonly sweepIntervalMs: number;
  readonly repository: OutboxRepository;
  readonly log: Log;
};

/** One kind of entry on its way out. Each has its own, so that neither waits while the other's receiver is down. */
export type Lane = { start(): void; nudge(): void; stop(): Promise<void> };

type Group = readonly [OutboxRow, ...OutboxRow[]];

/** Nothing new is sent this long after the claim: what is in flight must settle well within the lease. */
const SENDING_SHARE_OF_LEASE = 1 / 3;
/** Under load rows are taken in batches: a pass for each row or two costs the database as much as the requests do. */
const GATHER_MS = 10;
const UNREACHABLE_WAIT_MAX_MS = 5000;
const REFUSED_WAIT_MAX_MS = 60_000;

export function createLane(options: LaneOptions): Lane {
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
          if (readable) log.warn({ err: error, lane: kind }, 'the outbox cannot be read or written');
          readable = false;
          return false;
        },
      );
      if (more) continue;
      if (nudged && reachable && readable) await pause(GATHER_MS);
      else await rest();
    }
  }

  /** Takes a batch, sends it, and records what became of it. True when more is likely to be waiting. */
  async function pass(): Promise<boolean> {
    // While the other side is down one row asks for all of them, and the others keep their place.
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
    const until = Date.now() + options.leaseMs * SENDING_SHARE_OF_LEASE;
    let outOfReach = false;
    const remaining = [...groups];
    const sender = async () => {
      for (let group = remaining.shift(); group; group = remaining.shift()) {
        const ids = group.map(({ id }) => id);
        if (outOfReach || Date.now() >= until) {
          untried.push(...ids);
          continue;
        }
        try {
          await options.send(group[0]);
          sent.push(...ids);
        } catch (error) {
          outOfReach ||= error instanceof AppError && error.retryable;
          failed.push(...group.map((row) => postponement(row, error)));
          log.debug({ err: error, lane: kind, outbox_id: group[0].id }, 'an outbox entry was not delivered');
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(options.parallel, groups.length) }, sender));
    noteReach(!outOfReach, failed);
    return { sent, failed, untried };
  }

  function noteReach(now: boolean, failed: readonly Postponement[]): void {
    if (now !== reachable) {
      reachable = now;
      if (now) log.info({ lane: kind }, 'the outbox is delivered again');
      else log.warn({ lane: kind, error: failed[0]?.error }, 'the outbox waits: its receiver is out of reach');
    } else if (now && failed.length > 0) {
      log.error({ lane: kind, entries: failed.length, error: failed[0]?.error }, 'outbox entries were refused');
    }
  }

  /** Groups rows that need one sending; the last row of each comes first and speaks for all. */
  function groupsOf(rows: readonly OutboxRow[]): Group[] {
    const newestFirst = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const groups = Object.values(Object.groupBy(newestFirst, options.sameAs)) as unknown as Group[];
    return groups.toReversed();
  }

  /** Until the next sweep, or a nudge; a nudge does not hurry a lane that something is down for. */
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
  const unreachable = error instanceof AppError && error.retryable;
  const most = unreachable ? UNREACHABLE_WAIT_MAX_MS : REFUSED_WAIT_MAX_MS;
  const waitMs = Math.min(most, 500 * 2 ** Math.min(attempts - 1, 16)) * (0.8 + Math.random() * 0.2);
  const text = error instanceof AppError ? error.code : String(error);
  return { id, waitMs, error: text.slice(0, 300) };
}
