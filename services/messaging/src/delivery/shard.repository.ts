import type { WaitingQueue } from '@mostrador/contracts';
import { deliveryShardOf } from '@mostrador/contracts/workflows';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

// The advisory locks of a shard. Each is `(class, shard)`, and the classes are any two numbers that nothing else uses.
const openClass = 7_340_001;
const fenceClass = 7_340_002;

/** SQL expression: the shard of a store. The index `messages_of_shard` contains it, so it never changes. */
export const shardOf = (sql: Sql, storeId: ReturnType<typeof sql>) => sql`(get_byte(uuid_send(${storeId}), 15) % 32)`;

/** SQL expression: keeps the store's shard as open or closed as it is, until the transaction ends. */
export const keepingShard = (sql: Sql, storeId: string) => sql`
  pg_advisory_xact_lock_shared(${openClass}::int, ${deliveryShardOf(storeId)}::int)`;

/**
 * SQL expression: whether the pump of the store's shard sends a new message without a wake-up. It holds until the
 * transaction ends if a statement before had `keepingShard`: one statement sees what was committed before its locks.
 */
export const isShardOpen = (sql: Sql, storeId: string) => sql`
  coalesce((select open_until > clock_timestamp() from delivery_shards where shard = ${deliveryShardOf(storeId)}), false)`;

/** Whether the pump still has the shard. The answer holds until the transaction ends. */
export async function holdsShard(sql: TransactionSql, { shard, fence }: Fence): Promise<boolean> {
  const [, rows] = await Promise.all([
    sql`select pg_advisory_xact_lock_shared(${fenceClass}::int, ${shard}::int)`,
    sql`select from delivery_shards where shard = ${shard} and fence = ${fence}`,
  ]);
  return rows.length > 0;
}

/** A shard, and when its step was scheduled (epoch ms). */
export type Fence = { readonly shard: number; readonly fence: number };

/**
 * Gives the shard to the pump with this fence, and opens it for `openMs`. False: a pump with a higher one has it. A pump
 * that was silent for `openMs` counts no longer, because the clocks of Temporal's servers may differ.
 */
export async function takeShard(systemSql: TransactionSql, { shard, fence }: Fence, openMs: number): Promise<boolean> {
  const until = systemSql`clock_timestamp() + ${openMs} * interval '1 millisecond'`;
  // As a rule the pump has it. Then nothing waits for the claims that are under way.
  const renewed = await systemSql`
    update delivery_shards set open_until = ${until} where shard = ${shard} and fence = ${fence} returning shard`;
  if (renewed.length > 0) return true;
  const [, taken] = await Promise.all([
    systemSql`select pg_advisory_xact_lock(${fenceClass}::int, ${shard}::int)`,
    systemSql`
      update delivery_shards set fence = ${fence}, open_until = ${until}, woken_at = null
      where shard = ${shard} and (fence <= ${fence} or open_until < clock_timestamp()) returning shard`,
  ]);
  return taken.length > 0;
}

/**
 * Closes the shard, unless a message is being accepted, or one is due by `dueWithinMs` from now. So each message is either
 * seen here, or comes with a wake-up. It waits for nothing: an acceptance that hangs must not hold up the others.
 */
export async function closeShard(
  systemSql: TransactionSql,
  { shard, fence }: Fence,
  dueWithinMs: number,
): Promise<boolean> {
  const [lock] = await systemSql<{ alone: boolean }[]>`
    select pg_try_advisory_xact_lock(${openClass}::int, ${shard}::int) as alone`;
  if (!lock?.alone) return false;
  const rows = await systemSql`
    update delivery_shards set open_until = 'epoch'
    where shard = ${shard} and fence = ${fence}
      and (
        select true from messages head
        where ${isHead(systemSql, shard)} and ${dueAt(systemSql)} <= now() + ${dueWithinMs} * interval '1 millisecond'
        order by ${asInIndex(systemSql)} limit 1) is null
    returning shard`;
  return rows.length > 0;
}

/**
 * Whether `head` is in a queue. The first condition is that of the indexes of all shards
 * (services/messaging/migrations/0170). From the second one the planner knows that few messages are.
 */
export const isOpen = (sql: Sql) => sql`
  coalesce(head.status in ('queued', 'sending'), false) and head.status in ('queued', 'sending')`;

/**
 * Whether `head` is the first message of its queue. A look-up for each message, because the planner joins a queue that it
 * believes to be empty with itself.
 */
export const isFirst = (sql: Sql) => sql`
  head.id = (
    select first.id from messages first
    where first.store_id = head.store_id and first.lead_id = head.lead_id and first.status in ('queued', 'sending')
    order by first.number limit 1)`;

/** SQL expression: when the next step of `head` is due. */
export const dueAt = (sql: Sql) => sql`coalesce(head.lease_until, head.next_attempt_at, head.created_at)`;

/**
 * The order of the index `messages_of_shard`, so that no other one is read. With all its columns: where rows have policies,
 * the planner does not know that all rows of a shard have the same first one.
 */
export const asInIndex = (sql: Sql) => sql`${shardOf(sql, sql`head.store_id`)}, head.store_id, ${dueAt(sql)}`;

/** The message is in a queue of the shard. */
const isInShard = (sql: Sql, shard: number) => sql`
  ${shardOf(sql, sql`head.store_id`)} = ${shard} and ${isOpen(sql)}`;

/** The first message of a queue of the shard. */
const isHead = (sql: Sql, shard: number) => sql`${isInShard(sql, shard)} and ${isFirst(sql)}`;

type DueLead = {
  readonly store_id: string;
  readonly lead_id: string;
  readonly due_in_ms: number;
  /** The most leads that are read of a store. A store with this number may have more. */
  readonly most: number;
};

/**
 * The leads of the shard whose queue is due within `withinMs`, the longest due of each store first. `most`: about as many
 * of all stores together. `store`: only of this one. Read it `inIndexOrder`.
 */
export async function findDueLeads(
  systemSql: Sql,
  shard: number,
  { withinMs, most, store }: { withinMs: number; most: number; store?: string | undefined },
): Promise<DueLead[]> {
  // `now()` and not `clock_timestamp()`: a volatile function cannot be an index condition.
  const due = systemSql`${dueAt(systemSql)} <= now() + ${withinMs} * interval '1 millisecond'`;
  const nextStore = (after: ReturnType<typeof systemSql>) => systemSql`
    select head.store_id from messages head
    where ${isInShard(systemSql, shard)} ${after} order by ${asInIndex(systemSql)} limit 1`;
  const stores = store
    ? systemSql`select ${store}::uuid as store_id`
    : systemSql`
        (${nextStore(systemSql``)})
        union all
        select (${nextStore(systemSql`and head.store_id > stores.store_id`)})
        from stores where stores.store_id is not null`;
  return await systemSql<DueLead[]>`
    with recursive stores as (${stores}),
    share as (select greatest(${most} / greatest(count(store_id), 1), 1)::int as most from stores)
    select stores.store_id, due.lead_id, due.due_in_ms, share.most
    from stores cross join share cross join lateral (
      select head.lead_id, (extract(epoch from ${dueAt(systemSql)} - now()) * 1000)::float8 as due_in_ms
      from messages head
      where ${isHead(systemSql, shard)} and head.store_id = stores.store_id and ${due}
      order by ${asInIndex(systemSql)} limit share.most) due
    where stores.store_id is not null`;
}

/** When the next queue of the shard is due. Null: no message waits. */
export async function findNextDue(systemSql: Sql, shard: number): Promise<Date | null> {
  const [row] = await systemSql<{ due: Date | null }[]>`
    select min(${dueAt(systemSql)}) as due from messages head where ${isHead(systemSql, shard)}`;
  return row?.due ?? null;
}

/** The queues of the shard that wait longest. */
export async function findWaitingQueues(systemSql: Sql, shard: number, limit: number): Promise<WaitingQueue[]> {
  const rows = await systemSql<{ lead_id: string; since: Date; until: Date | null; reason: string }[]>`
    select head.lead_id, head.created_at as since,
      case when live.status = 'connected' then ${dueAt(systemSql)} end as until,
      case
        when head.status = 'sending' then 'an attempt is running'
        when live.status is null then 'no channel is connected'
        when live.status <> 'connected' then 'the channel needs attention'
        when ${dueAt(systemSql)} <= now() then 'the next attempt begins now'
        when head.wait_reason is not null then 'the channel is not called now (' || head.wait_reason || ')'
        when head.error_code is not null then 'an attempt failed (' || head.error_code || ')'
        else 'a rate limit or a pause of the provider' end as reason
    from messages head
    left join channels live on live.store_id = head.store_id and live.disconnected_at is null
    where ${isHead(systemSql, shard)}
    order by head.created_at limit ${limit}`;
  return rows.map(({ since, until, ...row }) => ({
    ...row,
    since: toTimestamp(since),
    until: until && toTimestamp(until),
  }));
}
