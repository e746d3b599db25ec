import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { ChannelRow } from '../channels/channel.repository.ts';

/** The store of a channel that reports to us; a channel that was disconnected reports no more. */
export async function findChannelStore(systemSql: Sql, channelId: string): Promise<string | undefined> {
  const [row] = await systemSql<{ store_id: string }[]>`
    select store_id from channels where id = ${channelId} and disconnected_at is null`;
  return row?.store_id;
}

export type NewPayload = {
  readonly payload: Buffer;
  /** Who wrote. */
  readonly customers: readonly string[];
};

/** In this order: a payload's id is greater than those before it. */
export async function insertPayloads(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  payloads: readonly NewPayload[],
): Promise<void> {
  const rows = payloads.map(({ payload, customers }) => ({ payload: payload.toString('base64'), customers }));
  await sql`
    insert into inbound_payloads (store_id, channel_id, payload, customers)
    select ${storeId}::uuid, ${channelId}::uuid, decode(payload, 'base64'), customers
    from json_to_recordset(${sql.json(rows)}::json) as posted (payload text, customers text[])`;
}

/** Payloads of any store whose turn it is, the oldest first; nobody else gets them for as long as the lease lasts. */
export async function claimPayloads(
  systemSql: Sql,
  { leaseMs, limit }: { leaseMs: number; limit: number },
): Promise<{ id: string; store_id: string }[]> {
  return await systemSql<{ id: string; store_id: string }[]>`
    update inbound_payloads p set next_attempt_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from (
      select id from inbound_payloads
      where processed_at is null and next_attempt_at <= clock_timestamp()
      order by id limit ${limit}
      for no key update skip locked
    ) due
    where p.id = due.id
    returning p.id, p.store_id`;
}

/** A payload with its channel's provider, which knows how to read it. */
export type PayloadRow = Pick<ChannelRow, 'provider' | 'phone_number_id'> & {
  readonly id: string;
  readonly channel_id: string;
  readonly payload: Buffer;
  readonly attempts: number;
};

export type OpenPayload = Pick<PayloadRow, 'channel_id' | 'payload' | 'provider' | 'phone_number_id'> & {
  readonly received_at: Date;
};

/** Of the payloads that were claimed, those that are still open, in the order in which they came. */
export async function readPayloads(sql: Sql, storeId: string, ids: readonly string[]): Promise<PayloadRow[]> {
  return await sql<PayloadRow[]>`
    select p.id, p.channel_id, p.payload, p.attempts, c.provider, c.phone_number_id
    from inbound_payloads p join channels c on c.store_id = p.store_id and c.id = p.channel_id
    where p.store_id = ${storeId} and p.id = any(${[...ids]}::uuid[]) and p.processed_at is null
    order by p.id`;
}

/** What came of any of these customers and is not processed, in the order in which it came. */
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
 * Customers of whom an earlier payload is still open and not among these: what they wrote later waits for it. Not for one
 * that failed for a reason of its own, though: it may never succeed. Each with the first such payload.
 */
export async function findHeldCustomers(
  sql: Sql,
  storeId: string,
  ids: readonly string[],
): Promise<{ channel_id: string; customer: string; payload_id: string }[]> {
  return await sql<{ channel_id: string; customer: string; payload_id: string }[]>`
    select distinct on (channel_id, customer) channel_id, customer, id as payload_id
    from inbound_payloads, unnest(customers) as customer
    where store_id = ${storeId} and processed_at is null and attempts = 0
      and id < ${ids.toSorted().at(-1) as string}::uuid and id <> all(${[...ids]}::uuid[])
    order by channel_id, customer, id`;
}

export async function markProcessed(sql: TransactionSql, storeId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update inbound_payloads set processed_at = clock_timestamp()
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and processed_at is null`;
}

/** Something else was missing: again soon, and the later the longer it has been so. It keeps its place. */
export async function putOff(sql: TransactionSql, storeId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update inbound_payloads
    set next_attempt_at = clock_timestamp()
      + greatest(interval '250 milliseconds', least(interval '5 seconds', (clock_timestamp() - received_at) / 4))
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and processed_at is null`;
}

/**
 * An earlier one is not done yet: as a rule another process is just about to, else it has been put off for longer. All at
 * the same moment, so that they are taken up together, in order.
 */
export async function putBehind(sql: TransactionSql, storeId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update inbound_payloads
    set next_attempt_at = clock_timestamp()
      + case when received_at > clock_timestamp() - interval '30 seconds' then interval '50 milliseconds' else interval '2 seconds' end
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and processed_at is null`;
}

/**
 * It failed for a reason of its own: again after 2 s, doubled each time, at most an hour. Nothing waits for it. After so
 * many attempts it is given up: it counts as processed, and keeps its error until it is purged.
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
        next_attempt_at = clock_timestamp() + least(3600, 2 * power(2, least(attempts, 12))) * interval '1 second'
    where store_id = ${storeId} and id = ${id} and processed_at is null`;
}

/** Deletes a batch of what was processed long ago. Returns how many. */
export async function purgePayloads(
  systemSql: Sql,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  const { count } = await systemSql`
    delete from inbound_payloads where id = any(array(
      select id from inbound_payloads
      where processed_at < clock_timestamp() - ${olderThanMs} * interval '1 millisecond' limit ${limit}))`;
  return count;
}
