import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { type ChannelRow, channelColumns, limitLockTime } from './channel.repository.ts';
import { checksBefore, delayBeforeCheck } from './check-delay.ts';

type Refused = Pick<ChannelRow, 'id' | 'connected_at' | 'checks' | 'recovered_at'>;
type RefusedWith = { readonly code: string; readonly detail: string };

/** Sets the channel to `needs_attention`, unless it was connected again, or has recovered, after the error. */
export async function markChannelRefused(
  sql: TransactionSql,
  storeId: string,
  channel: Refused,
  { code, detail }: RefusedWith,
): Promise<void> {
  const { id, connected_at, recovered_at } = channel;
  const checks = checksBefore(channel, new Date());
  const isFirst = sql`status <> 'needs_attention'`;
  await sql`
    update channels
    set status = 'needs_attention', last_error_code = ${code}, last_error_detail = ${detail},
        refused_at = coalesce(refused_at, clock_timestamp()),
        checks = case when ${isFirst} then ${checks}::int else checks end,
        next_check_at = case when ${isFirst}
          then clock_timestamp() + ${delayBeforeCheck(checks)} * interval '1 millisecond' else next_check_at end
    where store_id = ${storeId} and id = ${id} and disconnected_at is null and connected_at = ${connected_at}
      and recovered_at is not distinct from ${recovered_at}
    returning ${limitLockTime(sql)}`;
}

/** The refused channels of any store whose next check has come, the longest due first. */
export const findChannelsToCheck = (sql: Sql, limit: number) => sql<{ id: string; store_id: string }[]>`
  select id, store_id from channels
  where status = 'needs_attention' and disconnected_at is null and (next_check_at is null or next_check_at <= now())
  order by next_check_at nulls first limit ${limit}`;

/**
 * Begins a check: returns the channel, unless another process has begun the check, or none is due any more. The next one
 * is due after a pause, whatever becomes of this one.
 */
export async function beginCheck(sql: TransactionSql, storeId: string, id: string): Promise<ChannelRow | undefined> {
  const [channel] = await sql<ChannelRow[]>`
    select ${channelColumns(sql)} from channels
    where store_id = ${storeId} and id = ${id} and status = 'needs_attention' and disconnected_at is null
      and (next_check_at is null or next_check_at <= clock_timestamp())
    for no key update skip locked`;
  if (!channel) return undefined;
  const checks = channel.checks + 1;
  sql.withCommit(sql`
    update channels
    set checks = ${checks}, next_check_at = clock_timestamp() + ${delayBeforeCheck(checks)} * interval '1 millisecond'
    where store_id = ${storeId} and id = ${id}`);
  return channel;
}

const asChecked = (sql: Sql, storeId: string, { id, connected_at }: Pick<ChannelRow, 'id' | 'connected_at'>) => sql`
  store_id = ${storeId} and id = ${id} and status = 'needs_attention' and disconnected_at is null
    and connected_at = ${connected_at}`;

/** The channel works again. Returns false when it was connected again or disconnected during the check. */
export async function markChannelRecovered(
  sql: TransactionSql,
  storeId: string,
  channel: Pick<ChannelRow, 'id' | 'connected_at'>,
): Promise<boolean> {
  const recovered = await sql`
    update channels
    set status = 'connected', last_error_code = null, last_error_detail = null, refused_at = null, next_check_at = null,
        recovered_at = clock_timestamp()
    where ${asChecked(sql, storeId, channel)}
    returning id`;
  return recovered.length > 0;
}

/** The provider refuses the channel still, for this reason now. */
export async function saveRefusal(
  sql: TransactionSql,
  storeId: string,
  channel: Pick<ChannelRow, 'id' | 'connected_at'>,
  { code, detail }: RefusedWith,
): Promise<void> {
  await sql`
    update channels set last_error_code = ${code}, last_error_detail = ${detail}
    where ${asChecked(sql, storeId, channel)}`;
}
