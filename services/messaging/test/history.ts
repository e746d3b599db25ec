import { randomUUID } from 'node:crypto';
import { type ConversationCounts, firstResponseBucketSeconds, pricingCategories } from '@mostrador/contracts';
import fc from 'fast-check';
import type postgres from 'postgres';

/** A generated history of conversations. Times are milliseconds since its start. */
export type History = readonly GeneratedLead[];
type GeneratedLead = readonly GeneratedSession[];
type GeneratedSession = {
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly messages: readonly GeneratedMessage[];
};
type GeneratedMessage = {
  readonly source: (typeof sources)[number];
  readonly afterMs: number;
  /** For an outbound message: the time until the acceptance was recorded, and until a failure was. */
  readonly countedAfterMs: number | null;
  readonly failedAfterMs: number | null;
  /** The time until its price was recorded, as what, and in money. */
  readonly priced: { readonly afterMs: number; readonly as: string; readonly micros: number | null } | null;
};

const sources = ['lead', 'ai', 'seller', 'api', 'followup'] as const;
const minuteMs = 60_000;

/** Histories of some leads over `days`. Many times are exactly at the boundary of a quarter-hour. */
export const histories = (days: number): fc.Arbitrary<History> => {
  const time = (most: number) =>
    fc.oneof(
      fc.integer({ min: 0, max: most }),
      fc.integer({ min: 0, max: Math.floor(most / (15 * minuteMs)) }).map((n) => n * 15 * minuteMs),
    );
  const orNull = (arbitrary: fc.Arbitrary<number>) => fc.option(arbitrary, { freq: 2, nil: null });
  const message = fc.record({
    source: fc.constantFrom(...sources),
    afterMs: time(120 * minuteMs),
    countedAfterMs: orNull(time(20 * minuteMs)),
    failedAfterMs: orNull(time(20 * minuteMs)),
    priced: fc.option(
      fc.record({
        afterMs: time(20 * minuteMs),
        as: fc.constantFrom(...['billed', 'free'].flatMap((as) => pricingCategories.map((one) => `${as}_${one}`))),
        // Eighths, so that sums of the amounts are exact.
        micros: orNull(fc.integer({ min: 0, max: 80 }).map((n) => n * 125_000)),
      }),
      { nil: null },
    ),
  });
  const session = fc.record({
    startedAt: time((days - 1) * 24 * 60 * minuteMs),
    endedAt: fc.constant(null) as fc.Arbitrary<number | null>,
    messages: fc.array(message, { minLength: 1, maxLength: 6 }),
  });
  // All but the last one have ended: a lead has one active session at most.
  const lead = fc
    .tuple(fc.array(session, { maxLength: 4 }), time(180 * minuteMs))
    .map(([sessions, idleMs]) =>
      sessions.map((one, n) => (n < sessions.length - 1 ? { ...one, endedAt: one.startedAt + idleMs } : one)),
    );
  return fc.array(lead, { minLength: 1, maxLength: 5 });
};

/** Inserts the rows of a history. Returns the ids of its leads. */
export async function insertHistory(
  sql: postgres.Sql,
  storeId: string,
  beganAt: Date,
  history: History,
): Promise<string[]> {
  const moment = (ms: number) => new Date(beganAt.getTime() + ms);
  const leads: string[] = [];
  for (const sessions of history) {
    const lead_id = randomUUID();
    leads.push(lead_id);
    await sql`insert into conversations (store_id, lead_id) values (${storeId}, ${lead_id})`;
    let number = 0;
    for (const { startedAt, endedAt, messages } of sessions) {
      const id = randomUUID();
      const taken = responseOf({ startedAt, endedAt, messages });
      await sql`insert into sessions ${sql({
        store_id: storeId,
        id,
        lead_id,
        status: endedAt === null ? 'active' : 'ended',
        started_at: moment(startedAt),
        last_message_at: moment(startedAt),
        ended_at: endedAt === null ? null : moment(endedAt - 3 * minuteMs),
        end_recorded_at: endedAt === null ? null : moment(endedAt),
        opened_by_lead: messages[0]?.source === 'lead',
        first_response_at: taken === null ? null : moment(taken),
      })}`;
      for (const [n, { source, afterMs, countedAfterMs, failedAfterMs, priced }] of messages.entries()) {
        // The first message starts the session.
        const at = startedAt + (n === 0 ? 0 : afterMs);
        const outbound = source !== 'lead';
        await sql`insert into messages ${sql({
          store_id: storeId,
          lead_id,
          session_id: id,
          number: ++number,
          direction: outbound ? 'outbound' : 'inbound',
          source,
          body: 'x',
          status: outbound ? 'queued' : 'received',
          created_at: moment(at),
          counted_at: outbound && countedAfterMs !== null ? moment(at + countedAfterMs) : null,
          failed_at: outbound && failedAfterMs !== null ? moment(at + failedAfterMs) : null,
          priced_at: outbound && priced ? moment(at + priced.afterMs) : null,
          priced_as: outbound && priced ? priced.as : null,
          priced_micros: outbound && priced ? priced.micros : null,
        })}`;
      }
    }
  }
  return leads;
}

/** When the first response was recorded; null for a session that the lead did not open. */
function responseOf({ startedAt, messages }: GeneratedSession): number | null {
  if (messages[0]?.source !== 'lead') return null;
  const taken = messages.flatMap(({ source, afterMs, countedAfterMs }) =>
    source === 'lead' || countedAfterMs === null ? [] : [startedAt + afterMs + countedAfterMs],
  );
  return taken.length === 0 ? null : Math.min(...taken);
}

/** The expected report of a span: counts the rows of a store, or of one lead, one by one. */
export async function recount(
  sql: postgres.Sql,
  storeId: string,
  [from, to]: readonly [Date, Date],
  leadId?: string,
): Promise<ConversationCounts> {
  const ofLead = leadId === undefined ? sql`` : sql`and lead_id = ${leadId}`;
  const sessions = await sql`select * from sessions where store_id = ${storeId} ${ofLead}`;
  const messages = await sql`select * from messages where store_id = ${storeId} ${ofLead}`;
  const within = (at: Date | null): boolean => at !== null && at >= from && at < to;
  const outbound = (source: string) => messages.filter((row) => row.source === source && within(row.counted_at)).length;
  const priced = (as: string) =>
    Object.fromEntries(
      pricingCategories.map((category) => {
        const of = (source: string) =>
          messages.filter(
            (row) => row.source === source && row.priced_as === `${as}_${category}` && within(row.priced_at),
          ).length;
        return [category, { ai: of('ai'), seller: of('seller'), api: of('api'), followup: of('followup') }];
      }),
    ) as NonNullable<ConversationCounts['messages_priced']>['free'];
  const cost = () => {
    const counted = messages.filter((row) => row.priced_as !== null && within(row.priced_at));
    const sum = (rows: typeof counted) => rows.reduce((total, row) => total + Number(row.priced_micros ?? 0), 0) / 1e6;
    const billed = counted.filter((row) => row.priced_as.startsWith('billed'));
    const unrated = billed.filter((row) => row.priced_micros === null);
    const isKnown = unrated.length === 0 || billed.length > unrated.length;
    const amounts = Object.fromEntries(
      pricingCategories.map((category) => {
        const of = (source: string) =>
          sum(counted.filter((row) => row.source === source && row.priced_as.endsWith(`_${category}`)));
        return [category, { ai: of('ai'), seller: of('seller'), api: of('api'), followup: of('followup') }];
      }),
    ) as NonNullable<ConversationCounts['messages_cost']>['amounts'];
    return { currency: 'XTS', amount: isKnown ? sum(counted) : null, without_rate: unrated.length, amounts };
  };
  const responsesMs = sessions
    .flatMap((session) => {
      const own = messages.filter((row) => row.session_id === session.id).sort((a, b) => a.number - b.number);
      if (own[0]?.direction !== 'inbound') return [];
      const taken = own.filter((row) => row.counted_at !== null).map((row) => row.counted_at.getTime());
      if (taken.length === 0) return [];
      const first = Math.min(...taken);
      return within(new Date(first)) ? [first - session.started_at.getTime()] : [];
    })
    .sort((a, b) => a - b);
  const percentile = (share: number) => {
    const realMs = responsesMs[Math.ceil(responsesMs.length * share) - 1];
    if (realMs === undefined) return null;
    return (
      firstResponseBucketSeconds.find((limit) => realMs <= limit * 1000) ??
      (firstResponseBucketSeconds.at(-1) as number)
    );
  };
  const sumMs = responsesMs.reduce((total, ms) => total + ms, 0);
  return {
    sessions_started: sessions.filter((row) => within(row.started_at)).length,
    sessions_ended: sessions.filter((row) => within(row.end_recorded_at)).length,
    messages_inbound: messages.filter((row) => row.direction === 'inbound' && within(row.created_at)).length,
    messages_outbound: {
      ai: outbound('ai'),
      seller: outbound('seller'),
      api: outbound('api'),
      followup: outbound('followup'),
    },
    messages_priced: { billable: priced('billed'), free: priced('free') },
    messages_cost: cost(),
    messages_failed: messages.filter((row) => within(row.failed_at)).length,
    first_response_seconds: {
      p50: percentile(0.5),
      p90: percentile(0.9),
      average: responsesMs.length === 0 ? null : Math.round(sumMs / responsesMs.length) / 1000,
    },
  };
}
