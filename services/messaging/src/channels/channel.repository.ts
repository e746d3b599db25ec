import type { ChannelConnection } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Refusal } from '@mostrador/kit/resilience/wait-reason';

/** What accepting a message needs of a channel. */
export type AcceptingChannel = Pick<ChannelRow, 'id' | 'provider' | 'status' | 'reply_window_minutes'> & {
  readonly has_templates: boolean;
};

export type ChannelProviderName = NonNullable<ChannelConnection['provider']>;

/** A channel's row. */
export type ChannelRow = {
  readonly id: string;
  readonly provider: ChannelProviderName;
  readonly status: 'connected' | 'needs_attention';
  readonly phone: string | null;
  readonly phone_number_id: string | null;
  /** WhatsApp: the account that owns the templates. Null: the store has not given it. */
  readonly business_account_id: string | null;
  readonly api_url: string | null;
  readonly sealed_credentials: string | null;
  readonly sealed_page_token: string | null;
  readonly last_error_code: string | null;
  readonly last_error_detail: string | null;
  readonly number_rate: number;
  readonly pair_interval_seconds: number;
  readonly pair_burst: number;
  /** Null: the provider's. */
  readonly reply_window_minutes: number | null;
  readonly paused_until: Date;
  /** Different after each connection, so that an error of an earlier connection does not stop the current one. */
  readonly connected_at: Date;
  readonly disconnected_at: Date | null;
  /** When the provider refused the channel. */
  readonly refused_at: Date | null;
  /** How many checks began since then. */
  readonly checks: number;
  readonly next_check_at: Date | null;
  /** When a check last found that it works again. Like `connected_at`, it tells errors from before from those after. */
  readonly recovered_at: Date | null;
};

/** The columns of a `ChannelRow`. */
export const channelColumns = (sql: Sql) => sql`
  id, provider, status, phone, phone_number_id, business_account_id, api_url, sealed_credentials, sealed_page_token, last_error_code,
  last_error_detail, number_rate, pair_interval_seconds, pair_burst, reply_window_minutes, paused_until, connected_at,
  disconnected_at, refused_at, checks, next_check_at, recovered_at`;

/** What the provider answered when it refused the channel, and when. */
export const refusalOf = ({ last_error_code: code, last_error_detail: detail, refused_at }: ChannelRow): Refusal => ({
  last_error: code === null ? null : { code, detail: detail ?? '' },
  refused_at,
});

/** The store's live channel with everything that a send needs. A store has at most one. */
export async function findLiveChannel(sql: Sql, storeId: string): Promise<ChannelRow | undefined> {
  const [row] = await sql<ChannelRow[]>`
    select ${channelColumns(sql)} from channels where store_id = ${storeId} and disconnected_at is null`;
  return row;
}

/** A channel of the store, live or not. */
export async function findChannelById(sql: Sql, storeId: string, id: string): Promise<ChannelRow | undefined> {
  const [row] = await sql<ChannelRow[]>`
    select ${channelColumns(sql)} from channels where store_id = ${storeId} and id = ${id}`;
  return row;
}

/**
 * For the `returning` of a statement that locks a live channel. Every lead's next message waits for that lock, so
 * PostgreSQL ends a transaction that idles for 2 s.
 */
export const limitLockTime = (sql: Sql) => sql`set_config('idle_in_transaction_session_timeout', '2000', true)`;

/** Keeps other transactions from connecting or disconnecting the store's channel. Take this lock first. */
export async function lockChannelsForUpdate(sql: TransactionSql, storeId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('messaging channel ' || ${storeId}::text, 0))`;
}

/** The row that a new connection reuses: the latest with the same provider and number, live or not. */
export async function findSameChannel(
  sql: Sql,
  storeId: string,
  { provider, phone_number_id }: Pick<NewChannel, 'provider' | 'phone_number_id'>,
): Promise<ChannelRow | undefined> {
  const [row] = await sql<ChannelRow[]>`
    select ${channelColumns(sql)} from channels
    where store_id = ${storeId} and provider = ${provider} and phone_number_id is not distinct from ${phone_number_id}
    order by disconnected_at desc nulls first limit 1`;
  return row;
}

export type NewChannel = {
  readonly id: string;
  readonly provider: ChannelRow['provider'];
  readonly phone: string | null;
  readonly phone_number_id: string | null;
  readonly business_account_id: string | null;
  readonly api_url: string | null;
  readonly sealed_credentials: string | null;
  readonly sandbox_token_hash: Buffer | null;
  readonly sealed_page_token: string | null;
  readonly number_rate?: number;
  readonly pair_interval_seconds?: number;
  readonly pair_burst?: number;
  readonly reply_window_minutes?: number;
};

/** Saves the store's live channel. The caller has ended any other. Missing limits get the table's defaults. */
export async function saveChannel(sql: TransactionSql, storeId: string, channel: NewChannel): Promise<void> {
  const { id, provider, phone, phone_number_id, business_account_id, api_url, sealed_credentials } = channel;
  const { sandbox_token_hash, sealed_page_token } = channel;
  const { number_rate = 80, pair_interval_seconds = 6, pair_burst = 45, reply_window_minutes = null } = channel;
  await sql`
    insert into channels as c (store_id, id, provider, phone, phone_number_id, business_account_id, api_url,
      sealed_credentials, sandbox_token_hash, sealed_page_token, number_rate, pair_interval_seconds, pair_burst,
      reply_window_minutes)
    values (${storeId}, ${id}, ${provider}, ${phone}, ${phone_number_id}, ${business_account_id}, ${api_url},
      ${sealed_credentials}, ${sandbox_token_hash}, ${sealed_page_token}, ${number_rate}, ${pair_interval_seconds},
      ${pair_burst}, ${reply_window_minutes})
    on conflict (id) do update set
      phone = excluded.phone, api_url = excluded.api_url, sealed_credentials = excluded.sealed_credentials,
      sandbox_token_hash = excluded.sandbox_token_hash, sealed_page_token = excluded.sealed_page_token,
      number_rate = excluded.number_rate, pair_interval_seconds = excluded.pair_interval_seconds,
      pair_burst = excluded.pair_burst, reply_window_minutes = excluded.reply_window_minutes,
      status = 'connected', last_error_code = null, last_error_detail = null, refused_at = null,
      business_account_id = excluded.business_account_id, next_template_sync_at = null, template_sync_token = null,
      template_sync_failures = 0, templates_error_code = null, templates_error_detail = null,
      templates_synced_at = case when c.business_account_id is not distinct from excluded.business_account_id
        then c.templates_synced_at end,
      checks = 0, next_check_at = null, recovered_at = null, paused_until = 'epoch', disconnected_at = null,
      connected_at = greatest(clock_timestamp(), c.connected_at + interval '1 millisecond')`;
}

/**
 * Ends the live channel, unless its id is `except`, and deletes its secrets. A page keeps the token of its address, which
 * leads nowhere now. Returns whether there was one.
 */
export async function endLiveChannel(sql: TransactionSql, storeId: string, except?: string): Promise<boolean> {
  const ended = await sql`
    update channels
    set disconnected_at = clock_timestamp(), sealed_credentials = null, sandbox_token_hash = null,
        templates_synced_at = null
    where store_id = ${storeId} and disconnected_at is null and id is distinct from ${except ?? null}::uuid
    returning id`;
  return ended.length > 0;
}

/** Pauses the whole number for `delayMs`, because the provider throttles it. */
export async function pauseChannel(sql: TransactionSql, storeId: string, id: string, delayMs: number): Promise<void> {
  await sql`
    update channels
    set paused_until = greatest(paused_until, clock_timestamp() + ${delayMs} * interval '1 millisecond')
    where store_id = ${storeId} and id = ${id}
    returning ${limitLockTime(sql)}`;
}

/** For each key that sealed the credentials of a live channel: that key's id, and one such store. */
export const findSealedStores = (sql: Sql) => sql<{ key_id: string; store_id: string }[]>`
  select distinct on (credentials_key_id) credentials_key_id as key_id, store_id from channels
  where disconnected_at is null and credentials_key_id is not null order by credentials_key_id`;
