import type { SystemDatabase } from '../database/database.ts';

export type Kind = 'workflow' | 'event';

/** An entry that the relay has claimed. Events have `data`; wake-ups have the four members before it. */
export type OutboxRow = {
  readonly id: string;
  readonly store_id: string;
  readonly topic: string;
  readonly entity_id: string | null;
  readonly lead_id: string | null;
  readonly signal: string | null;
  /** The trace of what wrote the entry. Null: none, or the process makes no traces, or an entry of the previous version. */
  readonly traceparent: string | null;
  readonly data: unknown;
  readonly created_at: Date;
  /** Including this one. */
  readonly attempts: number;
};

/** The next attempt of a row that could not be delivered. */
export type Postponement = {
  readonly id: string;
  readonly waitMs: number;
  /** The receiver answered that it does not accept this entry. */
  readonly refused: boolean;
  readonly error: string;
};

/** Which kinds of rows are due, and in how many milliseconds the next other row is. Infinity: none waits. */
export type Due = {
  readonly workflow: boolean;
  readonly event: boolean;
  readonly feed: boolean;
  readonly nextMs: number;
};

/** What waits in the outbox. Entries that were set aside do not count for the oldest. */
export type OutboxBacklog = { readonly entries: number; readonly setAside: number; readonly oldestSeconds: number };

const statementLimitMs = 5000;
/** `last_error` of an entry that its receiver refused starts with this. Otherwise the receiver was not reached. */
const refusedPrefix = 'refused: ';
/** No count reads more rows than this, so that a scrape stays cheap whatever the backlog. */
const mostCounted = 10_000;
const scope = () => ({ deadline: Date.now() + statementLimitMs });

/** The relay's statements. Each is its own transaction, so no lock is held during a send. */
export function outboxRepository(database: SystemDatabase) {
  return {
    /** Claims up to `limit` due rows for `leaseMs`. After that they are due again, even if the claimant died. */
    claim: (kind: Kind, limit: number, leaseMs: number): Promise<OutboxRow[]> =>
      database.execute(
        scope(),
        (sql) => sql<OutboxRow[]>`
          with due as materialized (
            select id from outbox where kind = ${kind} and next_attempt_at <= now()
            order by next_attempt_at limit ${limit} for update skip locked)
          update outbox set attempts = attempts + 1, next_attempt_at = now() + ${`${leaseMs} ms`}::interval
          from due where outbox.id = due.id
          returning outbox.id, store_id, topic, entity_id, lead_id, signal, traceparent, data, created_at, attempts`,
      ),

    /** Whether rows are due now: wake-ups, events, and, when it has the table, public events. And when the next ones are. */
    findDue: async (hasFeed: boolean): Promise<Due> => {
      const [row] = await database.read(
        scope(),
        (sql) => sql<[Due]>`
          select exists (select from outbox where kind = 'workflow' and next_attempt_at <= now()) as workflow,
            exists (select from outbox where kind = 'event' and next_attempt_at <= now()) as event,
            ${hasFeed ? sql`exists (select from feed_entries where set_aside_at is null)` : sql`false`} as feed,
            coalesce(extract(epoch from least(
              (select min(next_attempt_at) from outbox where kind = 'workflow' and next_attempt_at > now()),
              (select min(next_attempt_at) from outbox where kind = 'event' and next_attempt_at > now())) - now()) * 1000,
              'Infinity')::float8 as "nextMs"`,
      );
      return row;
    },

    remove: async (ids: readonly string[]): Promise<void> => {
      await database.execute(scope(), (sql) => sql`delete from outbox where id = any(${[...ids]}::uuid[])`);
    },

    postpone: async (rows: readonly Postponement[]): Promise<void> => {
      await database.execute(
        scope(),
        (sql) => sql`
          update outbox set next_attempt_at = now() + failed.wait_ms * interval '1 ms', last_error = failed.error
          from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ waitMs }) => waitMs)}::float8[],
                      ${rows.map(({ refused, error }) => (refused ? refusedPrefix + error : error))}::text[]) as failed (id, wait_ms, error)
          where outbox.id = failed.id`,
      );
    },

    /** Releases rows that were claimed but not tried. */
    release: async (ids: readonly string[]): Promise<void> => {
      await database.execute(
        scope(),
        (sql) => sql`
          update outbox set next_attempt_at = now(), attempts = attempts - 1 where id = any(${[...ids]}::uuid[])`,
      );
    },

    /**
     * The number of entries, at most 10,000, how many of the oldest 10,000 were refused `often` times or more, and for how
     * many seconds the oldest of the others waits.
     */
    count: async (often: number): Promise<OutboxBacklog> => {
      const [row] = await database.read(
        scope(),
        (sql) => sql<OutboxBacklog[]>`
          select count(*) as entries, count(*) filter (where is_refused) as "setAside",
            coalesce(extract(epoch from clock_timestamp() - min(created_at) filter (where not is_refused)), 0)::float8
              as "oldestSeconds"
          from (
            select created_at, (attempts >= ${often} and starts_with(last_error, ${refusedPrefix})) is true as is_refused
            from outbox order by id limit ${mostCounted}) as oldest`,
      );
      return { entries: row?.entries ?? 0, setAside: row?.setAside ?? 0, oldestSeconds: row?.oldestSeconds ?? 0 };
    },

    /** The number of wake-ups that wait for longer than `ageMs` because Temporal was not reached, at most `limit`. */
    countLateWakeUps: async (ageMs: number, limit: number): Promise<number> => {
      const [row] = await database.read(
        scope(),
        (sql) => sql<{ count: number }[]>`
          select count(*) from (
            select 1 from outbox
            where kind = 'workflow' and created_at < now() - ${`${ageMs} ms`}::interval
              and starts_with(last_error, ${refusedPrefix}) is not true
            limit ${limit}) as late`,
      );
      return row?.count ?? 0;
    },
  };
}

export type OutboxRepository = ReturnType<typeof outboxRepository>;
