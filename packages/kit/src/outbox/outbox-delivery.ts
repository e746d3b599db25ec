import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../process/log.ts';
import { createWakeablePause } from '../process/wakeable-pause.ts';
import { AppError } from '../rpc/errors.ts';
import type { Kind, OutboxRepository, OutboxRow, Postponement } from './outbox.repository.ts';

/** What the deliveries of a relay have in common. */
export type SharedDeliveryOptions = {
  readonly repository: OutboxRepository;
  readonly log: Log;
  /** How long the delivery waits before it sweeps while its receiver or PostgreSQL does not answer. */
  readonly sweepIntervalMs: number;
  /** Rows claimed at a time. */
  readonly batch: number;
  readonly leaseMs: number;
};

export type OutboxDeliveryOptions = SharedDeliveryOptions & {
  readonly kind: Kind;
  /** Sends one row. A retryable `AppError` means that the receiver did not answer; any other error refuses this row. */
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
const batchingPauseMs = 30;
/** The relay looks for rows and nudges, so a delivery whose receiver answers rarely sweeps by itself. */
export const ownSweepMs = 60_000;
const longestUnreachableWaitMs = 5000;
const longestRefusedWaitMs = 60_000;
/** An entry that was refused this often is set aside: it stays in the outbox, and the next attempts are far apart. */
export const setAsideAfter = 10;
const setAsideWaitMs = 10 * 60_000;

/**
 * Claims due rows, sends them, and records the outcome of each, until it is stopped. Sends are continuous: a slow one
 * occupies its place among the parallel sends, and the others go on.
 */
export function createOutboxDelivery(options: OutboxDeliveryOptions): OutboxDelivery {
  const { kind, repository, log, batch, parallel } = options;
  /** Claimed groups that wait for a place, each with the time until which its send may start. */
  const queue: { readonly group: Group; readonly until: number }[] = [];
  const sending = new Set<Promise<void>>();
  let outcomes = noOutcomes();
  let stopped = false;
  let nudged = false;
  let reachable = true;
  let readable = true;
  let lastAnswerMs = 0;
  const untilSweep = createWakeablePause();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (let swept = true; !stopped; ) {
      nudged = false;
      const more = await pass(swept).then(
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
      swept = false;
      if (readable && hasOutcomes()) await pause(batchingPauseMs);
      else if (readable && reachable && (nudged || more)) await pause(batchingPauseMs);
      else if (!stopped) {
        const waitMs = readable && reachable ? ownSweepMs : options.sweepIntervalMs;
        swept = await untilSweep.for(waitMs * (0.9 + Math.random() * 0.2));
      }
    }
    release();
    await Promise.all(sending);
    await record().catch((error) => log.warn({ err: error, kind }, 'the outbox cannot be read or written'));
  }

  /** Records the outcomes so far, and claims rows when there is room. True when more rows are likely to wait. */
  async function pass(swept: boolean): Promise<boolean> {
    await record();
    const limit = claimable(swept);
    if (limit === 0 || stopped) return false;
    const until = Date.now() + options.leaseMs * sendingShareOfLease;
    const rows = await repository.claim(kind, limit, options.leaseMs);
    for (const group of groupsOf(rows)) queue.push({ group, until });
    sendQueued();
    return rows.length === limit;
  }

  /** While the receiver is down, each sweep probes it with one row, and the others keep their place. */
  function claimable(swept: boolean): number {
    if (!reachable) return swept ? 1 : 0;
    return queue.length < batch / 2 ? batch - queue.length : 0;
  }

  async function record(): Promise<void> {
    const { sent, failed, untried } = outcomes;
    outcomes = noOutcomes();
    if (sent.length > 0) await repository.remove(sent);
    if (failed.length > 0) await repository.postpone(failed);
    if (untried.length > 0) await repository.release(untried);
  }

  const hasOutcomes = () => outcomes.sent.length + outcomes.failed.length + outcomes.untried.length > 0;

  function sendQueued(): void {
    while (sending.size < parallel) {
      const next = queue.shift();
      if (!next) return;
      if (stopped || Date.now() >= next.until) {
        outcomes.untried.push(...next.group.map(({ id }) => id));
        continue;
      }
      const work = send(next.group).finally(() => {
        sending.delete(work);
        sendQueued();
        if (readable) untilSweep.wake();
      });
      sending.add(work);
    }
  }

  /** Never throws. */
  async function send(group: Group): Promise<void> {
    const startedMs = performance.now();
    try {
      await options.send(newestOf(group));
      outcomes.sent.push(...group.map(({ id }) => id));
      noteAnswer();
    } catch (error) {
      outcomes.failed.push(...group.map((row) => postponement(row, error)));
      log.debug({ err: error, kind, outbox_id: group[0].id }, 'an outbox entry was not delivered');
      if (isRefusal(error)) logRefusal(group[0], error);
      else if (reachable && lastAnswerMs < startedMs) {
        // Nothing else was answered in the meantime, so this is not one slow workflow.
        reachable = false;
        log.warn({ kind, error: errorText(error) }, 'the outbox receiver is unreachable');
        release();
      }
    }
  }

  function noteAnswer(): void {
    lastAnswerMs = performance.now();
    if (!reachable) log.info({ kind }, 'the outbox is delivered again');
    reachable = true;
  }

  function logRefusal({ id, topic, attempts }: OutboxRow, error: unknown): void {
    const details = { kind, topic, outbox_id: id, attempts, error: errorText(error) };
    if (attempts < setAsideAfter) log.error(details, 'an outbox entry was refused');
    else log.error(details, 'an outbox entry is set aside: it was refused too often');
  }

  /** Gives back the claimed rows whose send has not started. */
  function release(): void {
    for (const { group } of queue.splice(0)) outcomes.untried.push(...group.map(({ id }) => id));
  }

  /** Groups rows that need only one send. The newest row of each group comes first and is the one that is sent. */
  function groupsOf(rows: readonly OutboxRow[]): Group[] {
    const newestFirst = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const groups = Object.values(Object.groupBy(newestFirst, options.sameAs)) as unknown as Group[];
    return groups.toReversed();
  }

  return {
    start() {
      running ??= run();
    },
    nudge() {
      nudged = true;
      // While something is down, only sweeps look.
      if (readable && reachable) untilSweep.wake();
    },
    async stop() {
      stopped = true;
      untilSweep.wake();
      await running;
    },
  };
}

/** The newest row stands for its group, with the newest trace that the group has. */
function newestOf(group: Group): OutboxRow {
  const [newest] = group;
  const traceparent = group.find((row) => row.traceparent)?.traceparent ?? null;
  return newest.traceparent === traceparent ? newest : { ...newest, traceparent };
}

type Outcomes = { readonly sent: string[]; readonly failed: Postponement[]; readonly untried: string[] };
const noOutcomes = (): Outcomes => ({ sent: [], failed: [], untried: [] });

/** The receiver answered that it does not accept this entry. */
const isRefusal = (error: unknown): boolean => !(error instanceof AppError && error.retryable);

function postponement({ id, attempts }: OutboxRow, error: unknown): Postponement {
  const refused = isRefusal(error);
  const most = refused ? longestRefusedWaitMs : longestUnreachableWaitMs;
  const backoffMs = Math.min(most, 500 * 2 ** Math.min(attempts - 1, 16));
  const waitMs = (refused && attempts >= setAsideAfter ? setAsideWaitMs : backoffMs) * (0.8 + Math.random() * 0.2);
  return { id, waitMs, refused, error: errorText(error) };
}

const errorText = (error: unknown): string => (error instanceof AppError ? error.code : String(error)).slice(0, 300);
