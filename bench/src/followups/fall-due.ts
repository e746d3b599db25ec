import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { bodiesOf, reach } from './schedule.ts';
import { creating, type FollowupStage } from './stage.ts';

/** The outcome of follow-ups that fell due together, from their rows and from the deliveries of the sandbox channel. */
export type FallenDue = {
  readonly count: number;
  /** Whether all workflows waited before the first was due. Otherwise scheduling ran at the same time. */
  readonly allWaited: boolean;
  /** Delivered before the due time. */
  readonly early: number;
  /** Not `sent` or not delivered, except those in `givenUp`. */
  readonly lost: number;
  /** Deliveries of the whole platform minus its follow-ups that are `sent`. */
  readonly twice: number;
  /** Messages with an unknown outcome that were not delivered. An operator settles them as failed. */
  readonly givenUp: number;
  /** From `due_at` to the delivery, in milliseconds. */
  readonly lateMs: Percentiles;
  /** From `due_at` to the claim, in milliseconds: the delay of timers, Temporal and its worker. */
  readonly claimedMs: Percentiles;
  /** Processor time per follow-up in milliseconds, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
};
export type Percentiles = { readonly p50: number; readonly p99: number; readonly max: number };

type Options = {
  readonly count: number;
  readonly overMs: number;
  readonly perSecond: number;
  /** Starts at the first due time. */
  readonly meanwhile?: () => Promise<void>;
};

const finalWithinMs = 300_000;

type Row = { status: string; late_ms: number | null; claimed_ms: number | null };

/**
 * Schedules `count` follow-ups, one per lead, that fall due evenly over `overMs`. Waits until all are final and
 * compares them with the deliveries. `perSecond` is how fast workflows start. It sets the first due time, when all
 * workflows should wait.
 */
export async function fallDue(
  stage: FollowupStage,
  { count, overMs, perSecond, meanwhile }: Options,
): Promise<FallenDue> {
  const { sql, platform } = stage;
  const before = await stage.stepsDone();
  const firstMs = Date.now() + 10_000 + Math.ceil((3 * count * 1000) / perSecond);
  const dueAtMs = (index: number) => firstMs + Math.floor((index / count) * overMs);
  await stage.load(creating(stage.target, bodiesOf(stage.leadIds, count, dueAtMs)));
  await reach(stage.stepsDone, before + count);
  const allWaited = Date.now() < firstMs;
  await pause(Math.max(0, firstMs - Date.now()));
  const cpuBefore = cpuOfAll(platform.processes);
  const [from, to] = [new Date(firstMs), new Date(firstMs + overMs)];
  const due = sql`due_at >= ${from} and due_at < ${to}`;
  await Promise.all([pause(Math.max(0, firstMs + overMs - Date.now())), meanwhile?.()]);
  let givenUp = 0;
  const isOpen = async () => {
    givenUp += await settleUnknown(stage);
    const [row] = await sql<{ open: boolean }[]>`
      select exists (select from scheduling.followups where ${due} and status in ('pending', 'sending')) as open`;
    return row?.open ?? false;
  };
  // A follow-up that is not sent by then counts as lost. A query may fail, because PostgreSQL is killed too.
  for (const giveUpAt = Date.now() + finalWithinMs; await isOpen().catch(() => true); await pause(100)) {
    if (Date.now() > giveUpAt) break;
  }
  const cpuMs = cpuMsEach(cpuBefore, platform.processes, count);
  const rows = await sql<Row[]>`
    select f.status,
           extract(epoch from d.delivered_at - f.due_at)::float8 * 1000 as late_ms,
           extract(epoch from f.first_attempt_at - f.due_at)::float8 * 1000 as claimed_ms
    from scheduling.followups f left join messaging.sandbox_deliveries d using (store_id, id)
    where ${due}`;
  const late = rows.flatMap(({ late_ms }) => late_ms ?? []);
  const [sent] = await sql<{ extra: number }[]>`
    select (select count(*)::int from messaging.sandbox_deliveries)
         - (select count(*)::int from scheduling.followups where status = 'sent') as extra`;
  return {
    count,
    allWaited,
    early: late.filter((ms) => ms < 0).length,
    lost: count - givenUp - rows.filter(({ status, late_ms }) => status === 'sent' && late_ms !== null).length,
    twice: sent?.extra ?? Number.NaN,
    givenUp,
    lateMs: percentiles(late),
    claimedMs: percentiles(rows.flatMap(({ claimed_ms }) => claimed_ms ?? [])),
    cpuMs,
  };
}

/**
 * Settles messages with an unknown outcome as an operator does: delivered ones as sent, the others as failed. Returns
 * how many it settled as failed.
 */
async function settleUnknown({ sql, platform }: FollowupStage): Promise<number> {
  const unknown = await sql<{ store_id: string; id: string; sent: boolean }[]>`
    select store_id, id, d.delivered_at is not null as sent
    from messaging.messages m left join messaging.sandbox_deliveries d using (store_id, id)
    where m.status = 'unknown'`;
  for (const { store_id, id, sent } of unknown) {
    await platform.admin(`message settle --store ${store_id} --message ${id} --as ${sent ? 'sent' : 'failed'}`);
  }
  return unknown.filter(({ sent }) => !sent).length;
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
