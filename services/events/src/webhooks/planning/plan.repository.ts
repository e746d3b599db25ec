import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** An event of the feed, without its data. */
export type PlannedEvent = {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly entity_id: string;
  readonly created_at: Date;
};

type Named = { readonly store_id: string; readonly id: string };

/** Up to `limit` events after this one and up to `until`. */
export const findEventsAfter = (
  sql: Sql,
  storeId: string,
  { after, until, limit }: { after: number; until?: number; limit: number },
) => sql<PlannedEvent[]>`
  select sequence, id, type, entity_id, created_at from events
  where store_id = ${storeId} and sequence > ${after} ${until === undefined ? sql`` : sql`and sequence <= ${until}`}
  order by sequence limit ${limit}`;

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
 * one that is open stays as it is. Returns how many were made or begin again.
 */
export async function openDeliveries(
  sql: TransactionSql,
  { store_id, id }: Named,
  events: readonly PlannedEvent[],
  replayId: string | null = null,
): Promise<number> {
  if (events.length === 0) return 0;
  const { count } = await sql`
    insert into webhook_deliveries (store_id, endpoint_id, event_id, event_type, sequence, entity_id, occurred_at, replay_id)
    select ${store_id}::uuid, ${id}::uuid, event.id, event.type, event.sequence, event.entity_id, event.created_at,
           ${replayId}::uuid
    from jsonb_to_recordset(${sql.json(events as never)})
      as event (id uuid, type text, sequence bigint, entity_id uuid, created_at timestamptz)
    order by event.sequence
    on conflict (store_id, endpoint_id, sequence) do update
    set status = 'pending', next_attempt_at = statement_timestamp(), step = 0, first_failed_at = null, error = null,
        completed_at = null, replay_id = coalesce(excluded.replay_id, webhook_deliveries.replay_id)
    where webhook_deliveries.status <> 'pending'`;
  return count;
}
