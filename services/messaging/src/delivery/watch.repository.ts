import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { CountOptions, OverdueOptions } from '@mostrador/kit/step/overdue';

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
  head.status in ('queued', 'sending')
  and coalesce(head.lease_until, head.next_attempt_at, head.created_at) < now() - ${overdueMs} * interval '1 millisecond'
  and not exists (
    select 1 from messages before
    where before.store_id = head.store_id and before.lead_id = head.lead_id and before.number < head.number
      and before.status in ('queued', 'sending'))`;

export type OverdueLead = { readonly store_id: string; readonly lead_id: string };

/**
 * Up to `limit` leads of any store whose queue has been due for more than `overdueMs` and that were not returned within
 * `againMs`. A queue without a connected channel is due when its head fails for its age. Two sweeps at once get
 * different leads.
 */
export async function takeOverdueLeads(
  sql: TransactionSql,
  { overdueMs, againMs, limit }: OverdueOptions,
): Promise<OverdueLead[]> {
  return await sql<OverdueLead[]>`
    update conversations c set woken_at = clock_timestamp()
    from (
      select held.store_id, held.lead_id
      from messages head
      join conversations held on held.store_id = head.store_id and held.lead_id = head.lead_id
      where ${isOverdueHead(sql, overdueMs)}
        and (held.woken_at is null or held.woken_at < now() - ${againMs} * interval '1 millisecond')
      order by coalesce(head.lease_until, head.next_attempt_at, head.created_at)
      limit ${limit}
      for no key update of held skip locked
    ) overdue
    where c.store_id = overdue.store_id and c.lead_id = overdue.lead_id
    returning c.store_id, c.lead_id`;
}

export async function countOverdueLeads(sql: Sql, { overdueMs, limit }: CountOptions): Promise<number> {
  return (await sql`select from messages head where ${isOverdueHead(sql, overdueMs)} limit ${limit}`).length;
}

export async function longestOverdueQueue(sql: Sql, overdueMs: number): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select extract(epoch from now() - coalesce(head.lease_until, head.next_attempt_at, head.created_at))::float8 as seconds
    from messages head where ${isOverdueHead(sql, overdueMs)}
    order by coalesce(head.lease_until, head.next_attempt_at, head.created_at) limit 1`;
  return row?.seconds ?? 0;
}
