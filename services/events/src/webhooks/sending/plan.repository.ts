import type { TransactionSql } from '@mostrador/kit/database/database';
import type { PlannedEvent } from '../../feed/event.repository.ts';
import type { ReplayRow } from '../replays/replay.ts';

/** A delivery that was opened. The lease and its token are null unless its first attempt begins at once. */
export type OpenedRow = {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly sequence: number;
  readonly occurred_at: Date;
  readonly attempts: number;
  readonly lease_token: string | null;
  readonly lease_until: Date | null;
};

type Named = { readonly store_id: string; readonly id: string };

/** How many deliveries of a locked endpoint wait for their first attempt, at most `limit`. */
export async function countUntried(sql: TransactionSql, { store_id, id }: Named, limit: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from webhook_deliveries
      where store_id = ${store_id} and endpoint_id = ${id} and status = 'pending' and first_failed_at is null
        and lease_token is null
      limit ${limit}) as untried`;
  return row?.count ?? 0;
}

/**
 * Makes deliveries of a locked endpoint, in the order of the events. A delivery that is final begins another round, and
 * one that is open stays as it is. For a replay, so does one that succeeded after the replay was requested: its event has
 * arrived since. With `leaseMs` their first attempts begin at once. Returns those that were made or begin again.
 */
export async function openDeliveries(
  sql: TransactionSql,
  { store_id, id }: Named,
  events: readonly PlannedEvent[],
  { replay, leaseMs = null }: { replay?: Pick<ReplayRow, 'id' | 'created_at'>; leaseMs?: number | null } = {},
): Promise<OpenedRow[]> {
  if (events.length === 0) return [];
  return await sql<OpenedRow[]>`
    insert into webhook_deliveries (store_id, endpoint_id, event_id, event_type, sequence, entity_id, occurred_at, replay_id,
                                    attempts, lease_token, lease_until, next_attempt_at)
    select ${store_id}::uuid, ${id}::uuid, event.id, event.type, event.sequence, event.entity_id, event.created_at,
           ${replay?.id ?? null}::uuid, lease.attempts, case when attempts > 0 then gen_random_uuid() end, lease.until,
           coalesce(lease.until, statement_timestamp())
    from unnest(
        ${events.map((event) => event.id)}::uuid[], ${events.map(({ type }) => type)}::text[],
        ${events.map(({ sequence }) => sequence)}::bigint[], ${events.map(({ entity_id }) => entity_id)}::uuid[],
        ${events.map(({ created_at }) => created_at.toISOString())}::timestamptz[]
      ) as event (id, type, sequence, entity_id, created_at),
      (select ${leaseMs === null ? 0 : 1}::int as attempts,
              statement_timestamp() + ${leaseMs}::int * interval '1 millisecond' as until) as lease
    order by event.sequence
    on conflict (store_id, endpoint_id, sequence) do update
    set status = 'pending', step = 0, first_failed_at = null, error = null, completed_at = null,
        attempts = webhook_deliveries.attempts + excluded.attempts, lease_token = excluded.lease_token,
        lease_until = excluded.lease_until, next_attempt_at = excluded.next_attempt_at,
        replay_id = coalesce(excluded.replay_id, webhook_deliveries.replay_id)
    where webhook_deliveries.status <> 'pending'
      ${
        replay === undefined
          ? sql``
          : sql`and not (webhook_deliveries.status = 'succeeded' and webhook_deliveries.completed_at > ${replay.created_at})`
      }
    returning id, event_id, event_type, sequence, occurred_at, attempts, lease_token, lease_until`;
}
