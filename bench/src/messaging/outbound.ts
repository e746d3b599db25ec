import { setTimeout as pause } from 'node:timers/promises';
import { untilQuiet } from '../shared/backlog.ts';
import type { Prepared } from '../shared/load/job.ts';
import type { Store } from '../shared/platform.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { rotated } from '../shared/statistics.ts';
import type { MessagingStage } from './stage.ts';

export type OutboundPlan = { readonly leads: number; readonly messagesEach: number };

/** A round of messages to many leads at once. */
export type Sent = {
  readonly acceptedPerSecond: number;
  readonly acceptP50Ms: number;
  readonly acceptP99Ms: number;
  /** The rate from the first acceptance to the last delivery. */
  readonly deliveredPerSecond: number;
  /** The time from acceptance to delivery. */
  readonly toChannelP50Ms: number;
  readonly toChannelP99Ms: number;
  /** Workflow runs. A run ends when the lead's queue is empty, and the next message starts another. */
  readonly runs: number;
  /** Processor time per message in milliseconds, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
};
export type BareSignals = { readonly perSecond: number; readonly cpuMs: Readonly<Record<string, number>> };
/** Callers that wait until the channel has their message before they send the next one. */
export type Waited = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };

export type OutboundFindings = { sent: Sent[]; bare: BareSignals[]; waited: Map<number, Waited[]> };

export const waitingCallers = [1, 8];
const callers = 32;
const lookEveryMs = 200;
const limitMs = 30 * 60_000;
export const quietWithinMs = 30_000;

export async function outboundRound(
  stage: MessagingStage,
  plan: OutboundPlan,
  round: number,
  into: OutboundFindings,
  say: (text: string) => void,
): Promise<void> {
  const variants = rotated(
    [
      async () => {
        const sent = await sendMany(stage, plan);
        into.sent.push(sent);
        const { acceptedPerSecond: accepted, deliveredPerSecond: delivered } = sent;
        say(`messages: ${accepted.toFixed(0)}/s accepted, ${delivered.toFixed(0)}/s delivered`);
      },
      async () => {
        const bare = await signalMany(stage, plan);
        into.bare.push(bare);
        say(`bare signal-with-start and an activity: ${bare.perSecond.toFixed(0)}/s`);
      },
    ],
    round,
  );
  for (const variant of variants) {
    await variant();
    await untilQuiet(stage.processes, quietWithinMs);
  }
}

/** Sends every lead its first message, then every lead its second, and so on, as fast as the platform accepts them. */
export async function sendMany(stage: MessagingStage, plan: OutboundPlan): Promise<Sent> {
  const { senders, processes, sql } = stage;
  const leadIds = await Promise.all(
    senders.map(({ id }) => addLeads(stage, id, Math.ceil(plan.leads / senders.length))),
  );
  // The stores take turns, and so do the leads of each store.
  const prepared = Array.from({ length: plan.leads }, (_, index) => {
    const sender = index % senders.length;
    const leadId = leadIds[sender]?.[Math.floor(index / senders.length)] ?? '';
    return messageTo(senders[sender] as Store, leadId);
  });
  const count = plan.leads * plan.messagesEach;
  const runsBefore = await stage.temporalClient.call<number>('countRuns', 'delivery');
  const before = cpuOfAll(processes);
  const accepted = await stage.load({ ...jobOf(stage, prepared), concurrency: callers, requests: count });
  await untilNone(
    () =>
      sql`select 1 from messaging.messages where direction = 'outbound' and status in ('queued', 'sending', 'unknown') limit 1`,
  );
  const cpuMs = cpuMsEach(before, processes, count);
  const delivered = await readDeliveries(stage, leadIds.flat());
  if (delivered.count !== count || delivered.misplaced > 0) {
    throw new Error(`${delivered.count} of ${count} messages were delivered, ${delivered.misplaced} out of order`);
  }
  return {
    acceptedPerSecond: accepted.perSecond,
    acceptP50Ms: accepted.p50Ms,
    acceptP99Ms: accepted.p99Ms,
    deliveredPerSecond: count / delivered.seconds,
    toChannelP50Ms: delivered.p50Ms,
    toChannelP99Ms: delivered.p99Ms,
    runs: (await stage.temporalClient.call<number>('countRuns', 'delivery')) - runsBefore,
    cpuMs,
  };
}

/** Sends the same number of signals to as many bare workflows. A signal counts when an activity after it has run. */
async function signalMany(
  { temporalClient, temporalWorker, processes }: MessagingStage,
  { leads, messagesEach }: OutboundPlan,
): Promise<BareSignals> {
  const count = leads * messagesEach;
  const cpuBefore = cpuOfAll(processes);
  const before = await temporalWorker.call<number>('stepsDone');
  const since = performance.now();
  await temporalClient.call('wakeInTurns', { workflows: leads, times: messagesEach });
  await untilNone(async () =>
    (await temporalWorker.call<number>('stepsDone')) - before >= count ? [] : ['some are open'],
  );
  const seconds = (performance.now() - since) / 1000;
  return { perSecond: count / seconds, cpuMs: cpuMsEach(cpuBefore, processes, count) };
}

/** Measures callers that wait for the channel, at low load. */
export async function measureWaiting(
  stage: MessagingStage,
  { concurrency, seconds }: { concurrency: number; seconds: number },
): Promise<Waited> {
  const leads = await addLeads(stage, stage.waiting.id, concurrency);
  const prepared = leads.map((leadId) => messageTo(stage.waiting, leadId));
  const job = { ...jobOf(stage, prepared), concurrency, durationMs: seconds * 1000, warmUpMs: 500 };
  const { perSecond, p50Ms, p99Ms } = await stage.load(job);
  await untilQuiet(stage.processes, quietWithinMs);
  return { perSecond, p50Ms, p99Ms };
}

const messageTo = ({ key }: Store, leadId: string): Prepared => ({
  path: `/integrations/v1/leads/${leadId}/messages`,
  headers: { 'X-API-Key': key },
  body: JSON.stringify({ message: 'Your glasses are ready. We are open until seven.' }),
});

const jobOf = ({ platform }: MessagingStage, prepared: readonly Prepared[]) => ({
  ...({ origin: platform.origin, method: 'POST', paths: [], headers: {}, expectedStatus: 200 } as const),
  ...{ prepared, warmUpMs: 0, durationMs: limitMs },
});

/** Creates leads without messages. */
async function addLeads({ sql }: MessagingStage, storeId: string, count: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with first as (select coalesce(max(customer_phone::bigint), 5511900000000) as phone from crm.leads),
    added as (
      insert into crm.leads (store_id, name, customer_phone)
      select ${storeId}, 'Maria da Silva', (first.phone + n)::text from first, generate_series(1, ${count}::int) n
      returning store_id, id, version, status, created_at),
    noted as (
      insert into crm.lead_status_changes (store_id, lead_id, version, to_status, changed_at)
      select store_id, id, version, status, created_at from added)
    select id from added`;
  return rows.map(({ id }) => id);
}

type Deliveries = { count: number; misplaced: number; seconds: number; p50Ms: number; p99Ms: number };

/** Reads the deliveries of these leads' messages, and counts those that came after a message accepted later. */
async function readDeliveries({ sql }: MessagingStage, leadIds: readonly string[]): Promise<Deliveries> {
  const [row] = await sql<[Deliveries]>`
    with delivered as (
      select m.created_at, d.delivered_at, extract(epoch from d.delivered_at - m.created_at)::float8 * 1000 as ms,
             d.delivered_at < max(d.delivered_at) over (
               partition by m.lead_id order by m.number rows between unbounded preceding and 1 preceding) as misplaced
      from messaging.messages m
      join messaging.sandbox_deliveries d on d.store_id = m.store_id and d.id = m.id
      where m.lead_id = any(${leadIds as string[]}::uuid[]))
    select count(*)::int as count, (count(*) filter (where misplaced))::int as misplaced,
           extract(epoch from max(delivered_at) - min(created_at))::float8 as seconds,
           percentile_disc(0.5) within group (order by ms) as "p50Ms",
           percentile_disc(0.99) within group (order by ms) as "p99Ms"
    from delivered`;
  return row;
}

async function untilNone(look: () => PromiseLike<readonly unknown[]>): Promise<void> {
  const limit = performance.now() + limitMs;
  while ((await look()).length > 0) {
    if (performance.now() > limit) throw new Error(`some messages were still open after ${limitMs / 60_000} minutes`);
    await pause(lookEveryMs);
  }
}
