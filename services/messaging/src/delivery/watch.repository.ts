import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { CountOptions, OverdueOptions } from '@mostrador/kit/step/overdue';
import { asInIndex, dueAt, isFirst, isOpen, shardOf } from './shard.repository.ts';

/** Messages of any store whose watchdog time has passed, the longest passed first. */
export async function findUnsettled(sql: Sql, limit: number): Promise<{ store_id: string; id: string }[]> {
  return await sql<{ store_id: string; id: string }[]>`
    select store_id, id from messages where unsettled_at < now() order by unsettled_at limit ${limit}`;
}

/** Takes those of the messages whose watchdog time has passed, each once. Two calls at once get different messages. */
export async function takeUnsettled(sql: TransactionSql, storeId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update messages m set unsettled_at = null
    from (
      select id from messages
      where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and unsettled_at < now()
      order by id for no key update skip locked
    ) due
    where m.store_id = ${storeId} and m.id = due.id
    returning m.id`;
  return rows.map(({ id }) => id);
}

type UnsettledStatus = 'queued' | 'sending' | 'unknown';
type UnsettledState = { readonly count: number; readonly oldestSeconds: number };

/** The number of messages of all stores in each unsettled status, and the age of the oldest. */
export async function findUnsettledState(sql: Sql): Promise<Record<UnsettledStatus, UnsettledState>> {
  const rows = await sql<(UnsettledState & { status: UnsettledStatus })[]>`
    select status, count(*)::int as count,
      extract(epoch from clock_timestamp() - min(created_at))::float8 as "oldestSeconds"
    from messages where status in ('queued', 'sending', 'unknown') group by status`;
  const none = { count: 0, oldestSeconds: 0 };
  return {
    ...{ queued: none, sending: none, unknown: none },
    ...Object.fromEntries(rows.map(({ status, ...state }) => [status, state])),
  };
}

// `now()` and not `clock_timestamp()`: a volatile function cannot be an index condition.

/** The head of a lead's queue that is overdue. */
const isOverdueHead = (sql: Sql, overdueMs: number) => sql`
  ${isOpen(sql)} and ${dueAt(sql)} < now() - ${overdueMs} * interval '1 millisecond' and ${isFirst(sql)}`;

export type OverdueLead = { readonly store_id: string; readonly lead_id: string };

/**
 * A lead of each closed shard whose queue has been due for more than `overdueMs`, and that was not returned within
 * `againMs`: its wake-up is that of the whole shard. The pump of an open shard sees what is due by itself. A queue without a
 * connected channel is due when its head fails for its age. Two sweeps at once may wake a shard twice, which does no harm.
 */
export async function takeOverdueLeads(
  sql: TransactionSql,
  { overdueMs, againMs, limit }: OverdueOptions,
): Promise<OverdueLead[]> {
  return await sql<OverdueLead[]>`
    update conversations c set woken_at = clock_timestamp()
    from (
      select held.store_id, held.lead_id
      from delivery_shards closed
      cross join lateral (
        select head.store_id, head.lead_id
        from messages head
        join conversations waiting on waiting.store_id = head.store_id and waiting.lead_id = head.lead_id
        where ${shardOf(sql, sql`head.store_id`)} = closed.shard and ${isOverdueHead(sql, overdueMs)}
          and (waiting.woken_at is null or waiting.woken_at < now() - ${againMs} * interval '1 millisecond')
        order by ${asInIndex(sql)} limit 1) overdue
      join conversations held on held.store_id = overdue.store_id and held.lead_id = overdue.lead_id
      where closed.open_until < now()
      limit ${limit}
      for no key update of held skip locked
    ) overdue
    where c.store_id = overdue.store_id and c.lead_id = overdue.lead_id
    returning c.store_id, c.lead_id`;
}

/** So written, the index `messages_overdue` has them in the order in which they are due. */
const isOverdueOfAll = (sql: Sql, overdueMs: number) => sql`${isOverdueHead(sql, overdueMs)} and head.number > 0`;

export async function countOverdueLeads(sql: Sql, { overdueMs, limit }: CountOptions): Promise<number> {
  return (await sql`select from messages head where ${isOverdueOfAll(sql, overdueMs)} limit ${limit}`).length;
}

export async function longestOverdueQueue(sql: Sql, overdueMs: number): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select extract(epoch from now() - ${dueAt(sql)})::float8 as seconds
    from messages head where ${isOverdueOfAll(sql, overdueMs)} order by ${dueAt(sql)} limit 1`;
  return row?.seconds ?? 0;
}
