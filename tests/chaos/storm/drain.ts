import { setTimeout as pause } from 'node:timers/promises';
import { settleMessage } from '@mostrador/contracts';
import { calendarWatchWorkflow } from '@mostrador/contracts/workflows';
import type { ChaosStore } from './journal.ts';
import type { Open } from './look.ts';
import { carryingRows } from './look.ts';
import type { Platform } from './platform.ts';

const pollMs = 500;
const sayEveryMs = 15_000;
/** Longer than any wait of the platform: the sweep's pause, the retry of a calendar, a message of unknown outcome. */
const longestWaitMs = 120_000;

export type DrainOptions = {
  readonly say: (text: string) => void;
  /** Give up after this long without progress. The default is longer than any wait of the platform. */
  readonly noProgressMs?: number;
  /** Wait for rows only. After a restore, the workflow of a lost follow-up sleeps until that was due, and then ends. */
  readonly rowsOnly?: boolean;
};

export type Drained = { readonly seconds: number; readonly settledByHand: number };

/**
 * Waits until all work is done, or until there is no more progress. The invariants report unfinished work. Messages of
 * unknown outcome are settled as an operator would do it: by the provider's log.
 */
export async function drain(
  platform: Platform,
  stores: readonly ChaosStore[],
  open: Open,
  options: DrainOptions,
): Promise<Drained> {
  const startedAt = performance.now();
  await untilNothingIsLeft(open, 'that needs no operator', options);
  const reported = Promise.all(stores.map(({ phone }) => phone.reported()));
  await Promise.race([reported, pause(options.noProgressMs ?? longestWaitMs, undefined, { ref: false })]);
  const settledByHand = await settle(platform, stores, open);
  await untilCalendarsAreRead(open, options);
  await untilNothingIsLeft(open, 'at all', options);
  return { seconds: (performance.now() - startedAt) / 1000, settledByHand };
}

async function untilNothingIsLeft(
  { sql, temporal }: Open,
  what: 'at all' | 'that needs no operator',
  { say, noProgressMs = longestWaitMs, rowsOnly = false }: DrainOptions,
): Promise<void> {
  let [least, progressAt, saidAt] = [Number.POSITIVE_INFINITY, performance.now(), performance.now()];
  const unsettled = what === 'at all' ? sql`false` : sql`coalesce(m.status = 'unknown', false)`;
  while (performance.now() - progressAt < noProgressMs) {
    // A follow-up that is due after the run stays pending, and its workflow stays open.
    const [rows] = await sql<[Record<string, number>]>`
      select (select count(*)::int from scheduling.outbox) + (select count(*)::int from crm.outbox)
           + (select count(*)::int from messaging.outbox) + (select count(*)::int from events.outbox)
           + (select count(*)::int from assistant.outbox) as outbox,
             (select count(*)::int from scheduling.feed_entries) + (select count(*)::int from crm.feed_entries)
           + (select count(*)::int from messaging.feed_entries)
           + (select count(*)::int from assistant.feed_entries) as "feed entries",
             (select count(*)::int from events.webhook_deliveries where status = 'pending')
           + (select count(*)::int from events.webhook_endpoints e join events.feeds f on f.store_id = e.store_id
              where f.last_sequence > e.planned_through) as webhooks,
             (select count(*)::int from messaging.inbound_payloads where processed_at is null) as inbound,
             (select count(*)::int from messaging.conversations where reported_count < interaction_count) as counts,
             (select count(*)::int from messaging.messages where status in ('queued', 'sending')) as messages,
             (select count(*)::int from messaging.messages m
              join crm.merged_leads g on g.store_id = m.store_id and g.id = m.lead_id) as "messages of merged leads",
             (select count(*)::int from scheduling.calendar_syncs where state <> 'synced') as syncs,
             (select count(*)::int from assistant.ai_turns where state = 'open') as turns,
             count(*) filter (where not waits)::int as followups, count(*) filter (where waits)::int as waiting
      from (select f.due_at > now() + interval '1 day' or ${unsettled} as waits
            from scheduling.followups f
            left join messaging.messages m on m.store_id = f.store_id and m.id = f.message_id
            where f.status in ('pending', 'sending')) as open_followups`;
    const { waiting = 0, ...left } = rows;
    const running = rowsOnly
      ? 0
      : (await temporal.workflow.count(`ExecutionStatus = 'Running' AND ${carryingRows}`)).count;
    const all = { ...left, workflows: Math.max(0, running - waiting) };
    const count = Object.values(all).reduce((sum, each) => sum + each, 0);
    if (count === 0) return;
    if (count < least) [least, progressAt] = [count, performance.now()];
    if (performance.now() - saidAt > sayEveryMs) {
      say(
        `Left: ${Object.entries(all)
          .flatMap(([name, many]) => (many > 0 ? `${many} ${name}` : []))
          .join(', ')}`,
      );
      saidAt = performance.now();
    }
    await pause(pollMs);
  }
}

/**
 * Waits until all that another program changed in a calendar is read. Quiet calendars are read rarely, so each is woken as by
 * a client that asks for free times. The second look begins after the first ended, and so after the last change.
 */
async function untilCalendarsAreRead(
  { sql, temporal }: Open,
  { noProgressMs = longestWaitMs }: DrainOptions,
): Promise<void> {
  const [clock] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
  let since = clock?.now as Date;
  for (const _ of ['first', 'second']) {
    const until = performance.now() + noProgressMs;
    const unread = () => sql<{ store_id: string; id: string; wakes: boolean }[]>`
      select w.store_id, w.connection_id as id, w.wake_at > now() and w.lease_until is null as wakes
      from scheduling.calendar_watches w join scheduling.booking_rules r using (store_id)
      where w.listed_at is null or w.listed_at <= ${since} or exists (
        select from scheduling.calendar_objects o
        where o.store_id = w.store_id and o.connection_id = w.connection_id and o.is_pending)`;
    for (let left = await unread(); left.length > 0 && performance.now() < until; left = await unread()) {
      for (const { store_id, id, wakes } of left) {
        if (!wakes) continue;
        await sql`
          update scheduling.calendar_watches set wake_at = now() where store_id = ${store_id} and connection_id = ${id}`;
        await temporal.workflow.getHandle(calendarWatchWorkflow.workflowId(id)).signal('used');
      }
      await pause(pollMs);
    }
    const [last] = await sql<{ at: Date | null }[]>`
      select max(listed_at) as at from scheduling.calendar_watches join scheduling.booking_rules using (store_id)`;
    since = last?.at ?? since;
  }
}

async function settle(platform: Platform, stores: readonly ChaosStore[], { sql }: Open): Promise<number> {
  const rows = await sql<{ id: string; store_id: string; body: string }[]>`
    select id, store_id, body from messaging.messages where status = 'unknown'`;
  const taken = new Set(stores.flatMap(({ phone }) => phone.taken().map(({ text }) => text)));
  // The provider has sent status updates for the messages that it accepted. If one of those is still unknown, the
  // invariants report it.
  const nowhere = rows.filter(({ body }) => !taken.has(body));
  await platform.inside(async (call) => {
    for (const { id, store_id } of nowhere) {
      await call(settleMessage, { body: { message_id: id, status: 'failed' } }, store_id);
    }
  });
  return nowhere.length;
}
