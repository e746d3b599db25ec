import type { Sql } from '@mostrador/kit/database/database';

/** Rows of one kind that wait for one reason. */
export type QueueState = {
  /** A kind of `waiting list`, or `outbox` and `feed`. */
  readonly queue: string;
  /** Only of outboxes and feeds: whose they are. */
  readonly service: string | null;
  /** A reason of `waiting list`, `overdue`, or `set_aside`. */
  readonly reason: string;
  readonly rows: number;
  readonly stores: number;
  readonly since: Date;
  /** The oldest one's store, and the code of its last failure. */
  readonly store_id: string;
  readonly code: string | null;
};

/** No query reads more rows than this. */
const mostRead = 20_000;

/** What is due for so long has no step, although each step takes seconds. */
const overdue = (sql: Sql, due: string) => sql`${sql(due)} < now() - interval '30 seconds'`;

const grouped = (sql: Sql, queue: string, service: string | null = null) => sql`
  select ${queue}::text as queue, ${service}::text as service, reason, sum(rows)::int as rows,
    count(distinct store_id)::int as stores, min(since) as since, (array_agg(store_id order by since))[1] as store_id,
    (array_agg(code order by since) filter (where code is not null))[1] as code
  from judged group by reason`;

export const readMessages = (sql: Sql) => sql<QueueState[]>`
  with waiting as (
    select *, coalesce(lease_until, next_attempt_at, created_at) as due from messaging.messages
    where status in ('queued', 'sending', 'unknown') order by created_at limit ${mostRead}
  ), heads as (
    select *, row_number() over (partition by store_id, lead_id order by number) as place,
      count(*) over (partition by store_id, lead_id) as rows
    from waiting where status <> 'unknown'
  ), judged as (
    select h.store_id, h.rows, h.error_code as code,
      case when ${overdue(sql, 'due')} then due else h.created_at end as since,
      case
        when h.status = 'sending' and h.lease_until > now() then 'running'
        when c.status is null then 'not_connected'
        when c.status = 'needs_attention' then 'needs_attention'
        when ${overdue(sql, 'due')} then 'overdue'
        when h.wait_reason is not null then h.wait_reason
        when h.error_code is not null then 'failed_attempt'
        else 'postponed'
      end as reason
    from heads h left join messaging.channels c on c.store_id = h.store_id and c.disconnected_at is null
    where place = 1
    union all
    select store_id, 1, error_code, created_at, case error_code when 'restored' then 'restored' else 'unknown_outcome' end
    from waiting where status = 'unknown'
  ) ${grouped(sql, 'message')}`;

export const readPayloads = (sql: Sql) => sql<QueueState[]>`
  with judged as (
    select store_id, 1 as rows, last_error as code, received_at as since,
      case
        when failed_at is not null then 'set_aside'
        when ${overdue(sql, 'next_attempt_at')} then 'overdue'
        when attempts > 0 then 'failed_attempt'
        else 'running'
      end as reason
    from messaging.inbound_payloads where processed_at is null or failed_at is not null
    order by received_at limit ${mostRead}
  ) ${grouped(sql, 'inbound_payload')}`;

export const readSyncs = (sql: Sql) => sql<QueueState[]>`
  with judged as (
    select s.store_id, 1 as rows, coalesce(s.last_error_code, c.last_error_code) as code,
      case when ${overdue(sql, 'next_attempt_at')} then s.next_attempt_at else s.requested_at end as since,
      case
        when s.lease_until > now() then 'running'
        when s.state = 'needs_attention' or c.status = 'needs_attention' then 'needs_attention'
        when ${overdue(sql, 'next_attempt_at')} then 'overdue'
        when s.wait_reason is not null then s.wait_reason
        when s.last_error_code is not null then 'failed_attempt'
        else 'postponed'
      end as reason
    from scheduling.calendar_syncs s
    join scheduling.calendar_connections c
      on c.store_id = s.store_id and c.id = s.connection_id and c.disconnected_at is null
    where s.state in ('pending', 'needs_attention') order by s.requested_at limit ${mostRead}
  ) ${grouped(sql, 'calendar_sync')}`;

/** As in the health of a store. Fewer failed reads in a row may be a short fault of the provider. */
const failuresUntilTold = 5;

/** Calendars in which people's changes are not seen. A refused connection and `calendar_emptied` wait for a person. */
export const readWatches = (sql: Sql) => sql<QueueState[]>`
  with judged as (
    select w.store_id, 1 as rows, w.last_error_code as code,
      case when ${overdue(sql, 'wake_at')} then w.wake_at else coalesce(w.listed_at, c.connected_at) end as since,
      case
        when w.lease_until > now() then 'running'
        when ${overdue(sql, 'wake_at')} then 'overdue'
        when c.status = 'needs_attention' or w.last_error_code = 'calendar_emptied' then 'needs_attention'
        when w.last_error_code is not null and w.attempts >= ${failuresUntilTold} then 'failed_attempt'
        else 'postponed'
      end as reason
    from scheduling.calendar_watches w
    join scheduling.calendar_connections c
      on c.store_id = w.store_id and c.id = w.connection_id and c.disconnected_at is null
    where w.last_error_code is not null or w.wake_at < now() order by w.wake_at limit ${mostRead}
  ) ${grouped(sql, 'calendar_watch')}`;

/** Leads who wait for the AI. What a lead may still write is waited for up to five minutes, so that is no finding. */
export const readTurns = (sql: Sql) => sql<QueueState[]>`
  with judged as (
    select store_id, 1 as rows, error_code as code,
      case when ${overdue(sql, 'next_attempt_at')} then next_attempt_at else first_received_at end as since,
      case
        when lease_until > now() then 'running'
        when ${overdue(sql, 'next_attempt_at')} then 'overdue'
        when error_code is not null then 'failed_attempt'
        else 'postponed'
      end as reason
    from assistant.ai_turns where state = 'open' order by next_attempt_at limit ${mostRead}
  ) ${grouped(sql, 'ai_turn')}`;

export const readFollowups = (sql: Sql) => sql<QueueState[]>`
  with judged as (
    select store_id, 1 as rows, error_code as code,
      case when ${overdue(sql, 'next_attempt_at')} then next_attempt_at else due_at end as since,
      case
        when lease_until > now() then 'running'
        when error_code = 'restored' then 'restored'
        when ${overdue(sql, 'next_attempt_at')} then 'overdue'
        when error_code = 'channel_not_connected' then 'not_connected'
        when error_code is not null then 'failed_attempt'
        else 'postponed'
      end as reason
    from scheduling.followups
    where status in ('pending', 'sending') and due_at <= now() and message_id is null
    order by due_at limit ${mostRead}
  ) ${grouped(sql, 'followup')}`;

export const readDeliveries = (sql: Sql) => sql<QueueState[]>`
  with judged as (
    select d.store_id, 1 as rows, d.error as code,
      case when ${overdue(sql, 'next_attempt_at')} and e.blocked_until is null then d.next_attempt_at
        else d.created_at end as since,
      case
        when d.lease_until > now() then 'running'
        when e.status = 'paused' then 'endpoint_paused'
        when e.status = 'disabled' then 'endpoint_disabled'
        when e.failures > 0 or d.error is not null then 'failed_attempt'
        when ${overdue(sql, 'next_attempt_at')} then 'overdue'
        else 'postponed'
      end as reason
    from events.webhook_deliveries d
    join events.webhook_endpoints e on e.store_id = d.store_id and e.id = d.endpoint_id and e.deleted_at is null
    where d.status = 'pending' order by d.occurred_at limit ${mostRead}
  ) ${grouped(sql, 'webhook_delivery')}`;

export const readOutbox = (sql: Sql, schema: string) => sql<QueueState[]>`
  with judged as (
    select store_id, 1 as rows, last_error as code, created_at as since,
      case when attempts >= 10 and starts_with(last_error, 'refused: ') then 'set_aside' else 'overdue' end as reason
    from ${sql(schema)}.outbox order by id limit ${mostRead}
  ) ${grouped(sql, 'outbox', schema)}`;

export const readFeed = (sql: Sql, schema: string) => sql<QueueState[]>`
  with judged as (
    select store_id, 1 as rows, last_error as code, created_at as since,
      case when set_aside_at is null then 'overdue' else 'set_aside' end as reason
    from ${sql(schema)}.feed_entries order by position limit ${mostRead}
  ) ${grouped(sql, 'feed', schema)}`;
