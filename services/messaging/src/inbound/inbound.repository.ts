import { createHash } from 'node:crypto';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { ChannelRow } from '../channels/channel.repository.ts';

/** The store of a live channel. */
export async function findChannelStore(systemSql: Sql, channelId: string): Promise<string | undefined> {
  const [row] = await systemSql<{ store_id: string }[]>`
    select store_id from channels where id = ${channelId} and disconnected_at is null`;
  return row?.store_id;
}

export type NewPayload = {
  readonly payload: Buffer;
  /** All of the channel's ids of the customers whom it concerns. */
  readonly customers: readonly string[];
  /** It tells only of the past. */
  readonly is_history: boolean;
};

/**
 * The statement that stores payloads in this order. Each id is greater than the one before it. A payload that the channel already has is
 * left out: a provider retries with the same bytes, and so does an attacker who has captured a signed webhook.
 */
export function insertPayloads(sql: Sql, storeId: string, channelId: string, payloads: readonly NewPayload[]) {
  const rows = payloads.map(({ payload, customers, is_history }) => ({
    payload: payload.toString('base64'),
    payload_hash: createHash('sha256').update(payload).digest('base64'),
    customers,
    is_history,
  }));
  return sql`
    insert into inbound_payloads (store_id, channel_id, payload, payload_hash, customers, is_history)
    select ${storeId}::uuid, ${channelId}::uuid, decode(payload, 'base64'), decode(payload_hash, 'base64'), customers,
      is_history
    from json_to_recordset(${sql.json(rows)}::json)
      as posted (payload text, payload_hash text, customers text[], is_history boolean)
    on conflict (channel_id, payload_hash) where payload_hash is not null do nothing`;
}

/** Payloads of the past have a lane of their own, so that what customers write now never waits for them. */
export type Lane = 'live' | 'history';

/**
 * The statement that claims due payloads of any store in a lane, the oldest first. No other process gets them while the
 * lease lasts.
 */
export const claimPayloads = (
  systemSql: Sql,
  { lane = 'live', leaseMs, limit }: { lane?: Lane; leaseMs: number; limit: number },
) =>
  systemSql<{ id: string; store_id: string }[]>`
    update inbound_payloads p set next_attempt_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from (
      select id from inbound_payloads
      where processed_at is null and next_attempt_at <= clock_timestamp()
        and ${lane === 'live' ? systemSql`not is_history` : systemSql`is_history`}
      order by id limit ${limit}
      for no key update skip locked
    ) due
    where p.id = due.id
    returning p.id, p.store_id`;

/** Whether a payload of the lane is not processed yet, due or not. */
export async function hasOpenPayload(systemSql: Sql, lane: Lane): Promise<boolean> {
  const [row] = await systemSql<{ open: boolean }[]>`
    select exists (
      select from inbound_payloads
      where processed_at is null and ${lane === 'live' ? systemSql`not is_history` : systemSql`is_history`}
    ) as open`;
  return row?.open ?? false;
}

/** A payload with the channel columns that are needed to read it. */
export type PayloadRow = Pick<ChannelRow, 'provider' | 'phone_number_id'> & {
  readonly id: string;
  readonly channel_id: string;
  readonly payload: Buffer;
  readonly received_at: Date;
  readonly attempts: number;
};

export type OpenPayload = Pick<PayloadRow, 'channel_id' | 'payload' | 'provider' | 'phone_number_id' | 'received_at'>;

/** The claimed payloads that are still open, in the order of arrival. */
export async function readPayloads(sql: Sql, storeId: string, ids: readonly string[]): Promise<PayloadRow[]> {
  return await sql<PayloadRow[]>`
    select p.id, p.channel_id, p.payload, p.received_at, p.attempts, c.provider, c.phone_number_id
    from inbound_payloads p join channels c on c.store_id = p.store_id and c.id = p.channel_id
    where p.store_id = ${storeId} and p.id = any(${[...ids]}::uuid[]) and p.processed_at is null
    order by p.id`;
}

/** Open payloads that concern one of these customers, in the order of arrival. */
export async function findOpenPayloads(
  sql: Sql,
  storeId: string,
  customers: readonly string[],
): Promise<OpenPayload[]> {
  return await sql<OpenPayload[]>`
    select p.channel_id, p.payload, p.received_at, c.provider, c.phone_number_id
    from inbound_payloads p join channels c on c.store_id = p.store_id and c.id = p.channel_id
    where p.store_id = ${storeId} and p.processed_at is null
      and p.customers && ${[...customers]}::text[]
    order by p.id`;
}

/**
 * Customers whose messages wait for an earlier open payload that is not among `ids`, with the first such payload. A
 * payload that failed for a reason of its own does not count, because it may never succeed.
 */
export async function findHeldCustomers(
  sql: Sql,
  storeId: string,
  ids: readonly string[],
): Promise<{ channel_id: string; customer: string; payload_id: string }[]> {
  return await sql<{ channel_id: string; customer: string; payload_id: string }[]>`
    select distinct on (channel_id, customer) channel_id, customer, id as payload_id
    from inbound_payloads, unnest(customers) as customer
    where store_id = ${storeId} and processed_at is null and not is_history and attempts = 0
      and id < ${ids.toSorted().at(-1) as string}::uuid and id <> all(${[...ids]}::uuid[])
    order by channel_id, customer, id`;
}

/**
 * The statement that marks payloads as processed. What they said is in other rows now, so only the hash stays, by which a
 * repeated one is known.
 */
export const markProcessed = (sql: TransactionSql, storeId: string, ids: readonly string[]) => sql`
  update inbound_payloads set processed_at = clock_timestamp(), payload = '', customers = '{}'
  where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and processed_at is null`;

/**
 * A dependency was missing. The next retry waits a quarter of the payload's age, between 250 ms and 5 s. The payload
 * keeps its place.
 */
export async function putOff(sql: TransactionSql, storeId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update inbound_payloads
    set next_attempt_at = clock_timestamp()
      + greatest(interval '250 milliseconds', least(interval '5 seconds', (clock_timestamp() - received_at) / 4))
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and processed_at is null`;
}

/**
 * An earlier payload is still open. Another process usually finishes it soon, so the retry waits 50 ms; for a payload
 * older than 30 s it waits 2 s. All get the same time, so that one batch claims them together and in order.
 */
export async function putBehind(sql: TransactionSql, storeId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update inbound_payloads
    set next_attempt_at = clock_timestamp()
      + case when received_at > clock_timestamp() - interval '30 seconds' then interval '50 milliseconds' else interval '2 seconds' end
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and processed_at is null`;
}

/**
 * The payload failed for a reason of its own. The retry delay doubles from 2 s up to an hour. Later payloads do not
 * wait for it. After `mostAttempts` it counts as processed and as failed.
 */
export async function markFailed(
  sql: TransactionSql,
  storeId: string,
  id: string,
  { code, mostAttempts }: { code: string; mostAttempts: number },
): Promise<void> {
  await sql`
    update inbound_payloads
    set attempts = attempts + 1, last_error = ${code},
        processed_at = case when attempts + 1 >= ${mostAttempts} then clock_timestamp() end,
        failed_at = case when attempts + 1 >= ${mostAttempts} then clock_timestamp() end,
        next_attempt_at = clock_timestamp() + least(3600, 2 * power(2, least(attempts, 12))) * interval '1 second'
    where store_id = ${storeId} and id = ${id} and processed_at is null`;
}

/** Processes the failed payloads of a customer again that had this error. */
export async function reopenFailed(
  sql: TransactionSql,
  storeId: string,
  { customer, code }: { readonly customer: string; readonly code: string },
): Promise<void> {
  await sql`
    update inbound_payloads set processed_at = null, failed_at = null, next_attempt_at = ${dueNow(sql)}
    where store_id = ${storeId} and failed_at is not null and last_error = ${code}
      and customers && ${[customer]}::text[]`;
}

export async function countFailed(sql: Sql, storeId: string): Promise<number> {
  const [row] = await sql<{ failed: number }[]>`
    select count(*)::int as failed from inbound_payloads where store_id = ${storeId} and failed_at is not null`;
  return row?.failed ?? 0;
}

/** The number of failed payloads of all stores, by error code. */
export async function countFailedByCode(systemSql: Sql): Promise<{ code: string; count: number }[]> {
  return await systemSql<{ code: string; count: number }[]>`
    select last_error as code, count(*)::int as count from inbound_payloads where failed_at is not null group by 1`;
}

/** How long the oldest live payload of all stores that is not processed has waited, in seconds. 0: there is none. */
export async function oldestOpenSeconds(systemSql: Sql): Promise<number> {
  const [row] = await systemSql<{ seconds: number }[]>`
    select extract(epoch from clock_timestamp() - received_at)::float8 as seconds
    from inbound_payloads where processed_at is null and not is_history order by id limit 1`;
  return row?.seconds ?? 0;
}

type Purge = { readonly olderThanMs: number; readonly limit: number };

// `now()` and not `clock_timestamp()`: a volatile function cannot be an index condition.

/** Deletes a batch of payloads that were processed more than `olderThanMs` ago. Returns the number deleted. */
export async function purgeProcessed(systemSql: Sql, { olderThanMs, limit }: Purge): Promise<number> {
  const { count } = await systemSql`
    delete from inbound_payloads where id = any(array(
      select id from inbound_payloads
      where processed_at < now() - ${olderThanMs} * interval '1 millisecond' and failed_at is null limit ${limit}))`;
  return count;
}

/** Deletes a batch of payloads that failed more than `olderThanMs` ago. Returns the number deleted. */
export async function purgeFailed(systemSql: Sql, { olderThanMs, limit }: Purge): Promise<number> {
  const { count } = await systemSql`
    delete from inbound_payloads where id = any(array(
      select id from inbound_payloads
      where failed_at < now() - ${olderThanMs} * interval '1 millisecond' limit ${limit}))`;
  return count;
}
