import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { BlockedReason } from '@mostrador/kit/resilience/circuit';
import { quoteKeyOf } from '../channels/message-key.ts';
import { endingStandby } from '../conversations/conversation.repository.ts';
import { messageColumns } from '../messages/message.repository.ts';
import type { MessageRow } from '../messages/message.ts';
import { type HeadRow, headColumns, type PairRow, pairColumns, saveNumber } from './delivery.repository.ts';
import type { NumberState } from './rates.ts';

// The statements of a set of leads of one store: docs/adr/0034. Those of one lead are in the repositories beside this one.

/**
 * Locks the conversations of these leads until the transaction ends. It leaves out those that another transaction has
 * locked, so it waits for none and cannot take part in a deadlock.
 */
export async function lockPairs(
  sql: TransactionSql,
  storeId: string,
  leadIds: readonly string[],
): Promise<Map<string, PairRow>> {
  const rows = await sql<(PairRow & { lead_id: string })[]>`
    select lead_id, ${pairColumns(sql, storeId)}
    from conversations
    where store_id = ${storeId} and lead_id = any(${[...leadIds]}::uuid[])
    order by lead_id for no key update skip locked`;
  return new Map(rows.map((row) => [row.lead_id, row]));
}

/** The first message of each queue. `without`: messages that are about to leave theirs. */
export async function findHeads(
  sql: TransactionSql,
  storeId: string,
  leadIds: readonly string[],
  without: readonly string[],
): Promise<Map<string, HeadRow>> {
  const rows = await sql<HeadRow[]>`
    select head.* from unnest(${[...leadIds]}::uuid[]) as queue (of_lead) cross join lateral (
      select ${headColumns(sql)} from messages m
      where store_id = ${storeId} and lead_id = queue.of_lead and status in ('queued', 'sending')
        and id <> all(${[...without]}::uuid[])
      order by number limit 1) head`;
  return new Map(rows.map((row) => [row.lead_id, row]));
}

/** A message that waits, in a set. */
export type Late = {
  readonly id: string;
  readonly delayMs: number;
  readonly slotAt?: Date;
  readonly blocked?: BlockedReason;
};

/** As `postpone`, of many. Returns when the next attempt of each message is due. */
export async function postponeAll(
  sql: TransactionSql,
  storeId: string,
  late: readonly Late[],
): Promise<Map<string, Date>> {
  const rows = await sql<{ id: string; next_attempt_at: Date }[]>`
    update messages
    set next_attempt_at = clock_timestamp() + late.delay_ms * interval '1 millisecond',
        slot_at = to_timestamp(late.slot_ms / 1000), wait_reason = late.reason,
        wait_since = case when late.reason is not null then
          case when wait_reason = late.reason then wait_since else clock_timestamp() end end
    from unnest(${late.map(({ id }) => id)}::uuid[], ${late.map(({ delayMs }) => delayMs)}::float8[],
                ${late.map(({ slotAt }) => slotAt?.getTime() ?? null)}::float8[],
                ${late.map(({ blocked }) => blocked ?? null)}::text[]) as late (message, delay_ms, slot_ms, reason)
    where store_id = ${storeId} and id = late.message
    returning id, next_attempt_at`;
  return new Map(rows.map(({ id, next_attempt_at }) => [id, next_attempt_at]));
}

/** As `claim`, of many messages. The statement travels with the commit. */
export function claimAll(
  sql: TransactionSql,
  storeId: string,
  leaseMs: number,
  claims: readonly { readonly id: string; readonly leaseToken: string }[],
  { channelId, rates }: { channelId: string; rates: NumberState },
): void {
  sql.withCommit(sql`
    with number as (${saveNumber(sql, storeId, channelId, rates)})
    update messages
    set status = 'sending', channel_id = ${channelId}, attempts = attempts + 1, lease_token = claimed.token,
        lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond', next_attempt_at = null, slot_at = null
    from unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ leaseToken }) => leaseToken)}::uuid[])
      as claimed (message, token)
    where store_id = ${storeId} and id = claimed.message`);
}

/** A message that the provider has accepted. */
export type Acceptance = {
  readonly id: string;
  readonly leaseToken: string;
  readonly channelId: string;
  readonly providerMessageId: string;
};

/** As `lockProviderMessage`, of many. In one order, so that two such sets wait for each other, and never both. */
export async function lockProviderMessages(
  sql: TransactionSql,
  storeId: string,
  accepted: readonly Pick<Acceptance, 'channelId' | 'providerMessageId'>[],
): Promise<void> {
  const names = accepted.map(
    ({ channelId, providerMessageId }) => `messaging report ${storeId} ${channelId} ${providerMessageId}`,
  );
  await sql`
    select pg_advisory_xact_lock(key)
    from (select hashtextextended(name, 0) as key from unnest(${names}::text[]) as name order by key) as ordered`;
}

/**
 * Of these messages, those whose acceptance changes nothing but the message: the attempt has its lease, and nothing came
 * under the provider's id yet. The caller holds the locks of the conversations and of the provider's ids.
 */
export async function findPlain(
  sql: TransactionSql,
  storeId: string,
  accepted: readonly Acceptance[],
): Promise<MessageRow[]> {
  return await sql<MessageRow[]>`
    select ${messageColumns(sql)} from messages m
    join unnest(${accepted.map(({ id }) => id)}::uuid[], ${accepted.map(({ leaseToken }) => leaseToken)}::uuid[],
                ${accepted.map(({ channelId }) => channelId)}::uuid[],
                ${accepted.map(({ providerMessageId }) => providerMessageId)}::text[],
                ${accepted.map(({ providerMessageId }) => quoteKeyOf(providerMessageId))}::text[])
      as accepted (message, token, channel, given, key) on id = accepted.message
    where store_id = ${storeId} and status = 'sending' and lease_token = accepted.token
      and provider_message_id is null and sent_at is null
      and not exists (
        select from status_reports r
        where r.store_id = ${storeId} and r.channel_id = accepted.channel and r.provider_message_id = accepted.given)
      and not exists (
        select from message_changes c
        where c.store_id = ${storeId} and c.channel_id = accepted.channel and c.provider_message_id = accepted.given)
      and not exists (
        select from messages q where q.store_id = ${storeId} and q.quoted_key = accepted.key and q.reply_to_id is null)`;
}

/** What becomes of a plain acceptance. */
export type Sent = Pick<MessageRow, 'id' | 'lead_id' | 'session_id'> & {
  readonly providerMessageId: string;
  readonly sentAt: Date;
  /** The interval of the pair's rate. */
  readonly intervalMs: number;
  /** When the watchdog looks for a status update. Null: the provider sends none. */
  readonly watchAfterMs: number | null;
};

/** As `saveSent`, of many messages, each of another lead. */
export async function saveAllSent(sql: TransactionSql, storeId: string, sent: readonly Sent[]): Promise<MessageRow[]> {
  const of = <Name extends keyof Sent>(name: Name): Sent[Name][] => sent.map((each) => each[name]);
  return await sql<MessageRow[]>`
    with clock as (select clock_timestamp()::timestamptz(3) as at),
    done as materialized (
      select * from unnest(${of('id')}::uuid[], ${of('lead_id')}::uuid[], ${of('session_id')}::uuid[],
        ${of('providerMessageId')}::text[], ${sent.map(({ sentAt }) => sentAt.getTime())}::float8[],
        ${of('intervalMs')}::float8[], ${of('watchAfterMs')}::float8[])
        as done (message, of_lead, of_session, given, moment_ms, interval_ms, watch_ms)),
    counted as (
      update conversations c
      set interaction_count = interaction_count + 1, ${endingStandby(sql, sql`clock_timestamp()`)},
        pair_tat = greatest(pair_tat, clock_timestamp()) + done.interval_ms * interval '1 millisecond'
      from done where store_id = ${storeId} and lead_id = done.of_lead),
    responded as (
      update sessions set first_response_at = greatest(clock.at, started_at)
      from done, clock
      where store_id = ${storeId} and id = done.of_session and opened_by_lead and first_response_at is null
        and (select answers from messages where store_id = ${storeId} and id = done.message))
    update messages
    set status = 'sent', error_code = null, error_detail = null, provider_message_id = done.given,
      sent_at = to_timestamp(done.moment_ms / 1000), lease_token = null, lease_until = null, next_attempt_at = null,
      slot_at = null, unknown_since = null, counted_at = coalesce(counted_at, clock.at),
      unsettled_at = clock_timestamp() + done.watch_ms * interval '1 millisecond'
    from done, clock
    where store_id = ${storeId} and id = done.message
    returning ${messageColumns(sql as Sql)}`;
}
