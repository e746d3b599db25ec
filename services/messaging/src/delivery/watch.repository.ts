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

/** A store of an overdue shard, for its wake-up. */
export type OverdueShard = { readonly store_id: string };

/**
 * The closed shards with a queue that has been due for more than `overdueMs`, each once in `againMs` unless a step began
 * since. The pump of an open shard sees what is due by itself. A queue without a connected channel is due when its head
 * fails for its age.
 */
export async function takeOverdueShards(
  sql: TransactionSql,
  { overdueMs, againMs, limit }: OverdueOptions,
): Promise<OverdueShard[]> {
  return await sql<OverdueShard[]>`
    update delivery_shards woken set woken_at = clock_timestamp()
    from (
      select closed.shard, overdue.store_id
      from delivery_shards closed
      cross join lateral (
        select head.store_id from messages head
        where ${shardOf(sql, sql`head.store_id`)} = closed.shard and ${isOverdueHead(sql, overdueMs)}
        order by ${asInIndex(sql)} limit 1) overdue
      where closed.open_until < now()
        and (closed.woken_at is null or closed.woken_at < now() - ${againMs} * interval '1 millisecond')
      limit ${limit}
      for no key update of closed skip locked
    ) overdue
    where woken.shard = overdue.shard
    returning overdue.store_id`;
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
