import { setTimeout as pause } from 'node:timers/promises';
import type { LoadJob } from '../shared/load/job.ts';
import type { Measured, MessagingPlan } from './plan.ts';
import { send } from './send.ts';
import { type MessagingStage, type MessagingStore, untilIdle } from './stage.ts';

/** The rate that WhatsApp gives a number. */
const numberRate = 80;
const leadsOfStore = 10;
/** As many stores get their queues in one statement. */
const storesAtOnce = 500;
const lookEveryMs = 500;

/** What a new message of one store takes while the queues of many others leave. */
export async function sendBesideBacklog(stage: MessagingStage, plan: MessagingPlan): Promise<Measured> {
  await queueUp(stage, plan.backlog);
  await untilLeaving(stage);
  const alone = { concurrency: 1, durationMs: 30 * 60_000, requests: 1 };
  const first = await send(stage, stage.waiting, alone);
  const before = await countQueued(stage);
  const beganMs = performance.now();
  const { figures } = await send(stage, stage.waiting, { concurrency: 1, durationMs: plan.seconds * 1000 });
  const seconds = (performance.now() - beganMs) / 1000;
  const left = await countQueued(stage);
  return {
    figures: {
      'queued before': before,
      'of the queues left/s': (before - left) / seconds,
      'first message, to the provider, ms': first.figures['to the provider, p50, ms'] ?? 0,
      'to the provider, p50, ms': figures['to the provider, p50, ms'] ?? 0,
      'to the provider, p99, ms': figures['to the provider, p99, ms'] ?? 0,
    },
    cpuMs: {},
  };
}

/**
 * Fills the queues of other stores, unless they still have most of their messages. The rows are those that accepted messages
 * leave, but come with SQL: accepting a million of them takes an hour. The sweep finds them, as after an outage.
 */
async function queueUp(stage: MessagingStage, { stores, messages }: MessagingPlan['backlog']): Promise<void> {
  if ((await countQueued(stage)) > (stores * messages) / 2) return;
  const { sql } = stage;
  for (let done = 0; done < stores; done += storesAtOnce) {
    const count = Math.min(storesAtOnce, stores - done);
    await sql.unsafe(`
      create temporary table new_leads as
      select store_id, gen_random_uuid() as lead_id, lead, gen_random_uuid() as session_id
      from (select gen_random_uuid() as store_id from generate_series(1, ${count})) as store,
        generate_series(1, ${leadsOfStore}) as lead;
      insert into messaging.channels (store_id, provider, number_rate)
      select distinct store_id, 'sandbox', ${numberRate} from new_leads;
      insert into messaging.conversations (store_id, lead_id, wa_id, next_number, counted_next, last_inbound_at,
        last_message_at, lead_version, lead_name, lead_status)
      select store_id, lead_id, (5511960000000 + lead)::text, ${messages / leadsOfStore} + 1,
        ${messages / leadsOfStore} + 1, now(), now(), 1, 'Maria da Silva', 'pending'
      from new_leads;
      insert into messaging.sessions (store_id, id, lead_id, started_at, last_message_at)
      select store_id, session_id, lead_id, now(), now() from new_leads;
      insert into messaging.messages (store_id, lead_id, session_id, number, direction, source, body, status, created_at)
      select store_id, lead_id, session_id, number, 'outbound', 'api', 'Your glasses are ready.', 'queued',
        now() - interval '1 minute'
      from new_leads, generate_series(1, ${messages / leadsOfStore}) as number;
      drop table new_leads`);
  }
}

/** Waits until the sweep has woken what sends them. */
async function untilLeaving(stage: MessagingStage): Promise<void> {
  const queued = await countQueued(stage);
  while ((await countQueued(stage)) >= queued) await pause(lookEveryMs);
}

const countQueued = async ({ sql }: MessagingStage): Promise<number> => {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from messaging.messages where status in ('queued', 'sending')`;
  return row.count;
};

/** What messages of one store take beside a store that has accepted many at once, and keeps the rate of its number. */
export async function sendBesideFlood(stage: MessagingStage, plan: MessagingPlan): Promise<Measured> {
  const { waiting, accepting, sql } = stage;
  const job = { concurrency: 1, durationMs: plan.seconds * 1000 };
  const alone = await send(stage, waiting, job);
  const setRate = (rate: number) =>
    sql`update messaging.channels set number_rate = ${rate} where store_id = ${accepting.id} and disconnected_at is null`;
  await setRate(numberRate);
  try {
    await stage.load(floodOf(stage, accepting, numberRate * plan.seconds * 3));
    const beside = await send(stage, waiting, job);
    const left = await countQueued(stage);
    const of = ({ figures }: Measured, share: string) => figures[`to the provider, ${share}, ms`] ?? 0;
    return {
      figures: {
        'alone, to the provider, p50, ms': of(alone, 'p50'),
        'alone, to the provider, p99, ms': of(alone, 'p99'),
        'to the provider, p50, ms': of(beside, 'p50'),
        'to the provider, p99, ms': of(beside, 'p99'),
        'p50 ÷ alone': of(beside, 'p50') / of(alone, 'p50'),
        'p99 ÷ alone': of(beside, 'p99') / of(alone, 'p99'),
        // None: a slow machine accepts no faster than the number may send, and nothing was measured.
        'queued afterwards': left,
      },
      cpuMs: {},
    };
  } finally {
    await setRate(100_000);
    await untilIdle(stage);
  }
}

/** Messages without a stamp, which the stand-in does not count. */
const floodOf = ({ platform }: MessagingStage, { key, leads }: MessagingStore, requests: number): LoadJob => ({
  ...({ origin: platform.origin, method: 'POST', paths: [], headers: {}, expectedStatus: 200 } as const),
  prepared: leads.map(({ id }) => ({
    path: `/integrations/v1/leads/${id}/messages`,
    headers: { 'X-API-Key': key },
    body: JSON.stringify({ message: 'Your glasses are ready.' }),
  })),
  ...{ concurrency: 32, requests, warmUpMs: 0, durationMs: 30 * 60_000 },
});
