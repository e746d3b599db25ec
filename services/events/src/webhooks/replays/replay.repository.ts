import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { PlannedEvent } from '../../feed/event.repository.ts';
import { isVisible } from '../endpoints/endpoint.repository.ts';
import type { ReplayProgress, ReplayRow } from './replay.ts';

type Named = { readonly store_id: string; readonly id: string };

export async function insertReplay(
  sql: TransactionSql,
  endpoint: Named,
  replay: Pick<ReplayRow, 'selection' | 'event_types' | 'from_sequence' | 'to_sequence'>,
): Promise<ReplayRow> {
  const { selection, event_types, from_sequence, to_sequence } = replay;
  const [row] = await sql<ReplayRow[]>`
    insert into webhook_replays (store_id, endpoint_id, selection, event_types, from_sequence, to_sequence, looked_through)
    values (${endpoint.store_id}, ${endpoint.id}, ${selection}, ${event_types as string[] | null}, ${from_sequence},
            ${to_sequence}, ${from_sequence - 1})
    returning *`;
  return row as ReplayRow;
}

export async function findReplay(
  sql: Sql,
  storeId: string,
  { endpointId, replayId }: { endpointId: string; replayId: string },
): Promise<(ReplayRow & ReplayProgress) | undefined> {
  const [row] = await sql<(ReplayRow & ReplayProgress)[]>`
    select r.*, counted.* from webhook_replays r cross join lateral (
      select count(*) filter (where status = 'pending')::int as pending,
        count(*) filter (where status = 'succeeded')::int as succeeded,
        count(*) filter (where status in ('failed', 'cancelled'))::int as failed
      from webhook_deliveries d where d.store_id = r.store_id and d.replay_id = r.id) counted
    where r.store_id = ${storeId} and r.id = ${replayId} and r.endpoint_id = ${endpointId} and ${isVisible(sql, storeId, endpointId)}`;
  return row;
}

/** The oldest running replay of a locked endpoint. */
export async function findRunningReplay(sql: TransactionSql, { store_id, id }: Named): Promise<ReplayRow | undefined> {
  const [row] = await sql<ReplayRow[]>`
    select * from webhook_replays
    where store_id = ${store_id} and endpoint_id = ${id} and status = 'running' order by id limit 1`;
  return row;
}

/** How many deliveries of a replay are not final. */
export async function countWaiting(sql: TransactionSql, { store_id, id }: Named): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from webhook_deliveries
    where store_id = ${store_id} and replay_id = ${id} and status = 'pending'`;
  return row?.count ?? 0;
}

/** The events of deliveries of an endpoint that ended without success. They have passed its filters before. */
export const findUndelivered = (
  sql: TransactionSql,
  { store_id, id }: Named,
  { after, until, limit }: { after: number; until: number; limit: number },
) => sql<(PlannedEvent & { readonly passes: boolean })[]>`
  select sequence, event_id as id, event_type as type, entity_id, occurred_at as created_at, true as passes
  from webhook_deliveries
  where store_id = ${store_id} and endpoint_id = ${id} and status in ('failed', 'cancelled')
    and sequence > ${after} and sequence <= ${until}
  order by sequence limit ${limit}`;

export async function saveReplay(
  sql: TransactionSql,
  { store_id, id }: Named,
  { lookedThrough, chosen }: { lookedThrough: number; chosen: number },
): Promise<void> {
  await sql`
    update webhook_replays set looked_through = ${lookedThrough}, chosen = ${chosen}
    where store_id = ${store_id} and id = ${id}`;
}

export async function endReplay(
  sql: TransactionSql,
  { store_id, id }: Named,
  status: 'done' | 'cancelled',
): Promise<void> {
  await sql`
    update webhook_replays set status = ${status}, ended_at = clock_timestamp()
    where store_id = ${store_id} and id = ${id} and status = 'running'`;
}

/** Cancels the deliveries of a replay that wait. Those that run end as they end. */
export async function cancelWaiting(sql: TransactionSql, { store_id, id }: Named): Promise<void> {
  await sql`
    update webhook_deliveries
    set status = 'cancelled', error = 'cancelled', next_attempt_at = null, completed_at = clock_timestamp()
    where store_id = ${store_id} and replay_id = ${id} and status = 'pending' and lease_token is null`;
}
