import type { ChannelNumberState } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import { type ChannelRow, channelColumns } from '../channels/channel.repository.ts';

/** The channels of any store that are due to be synchronized, the longest due first. */
export const findChannelsToSync = (sql: Sql, limit: number) => sql<{ id: string; store_id: string }[]>`
  select id, store_id from channels
  where disconnected_at is null and (next_template_sync_at is null or next_template_sync_at <= now())
  order by next_template_sync_at nulls first limit ${limit}`;

/** A synchronization that has begun. Its token is the right to save its result, until another one begins. */
export type Sync = {
  readonly channel: ChannelRow;
  readonly token: string;
  readonly failures: number;
  /** When the templates were last read completely. Null: they are not known. */
  readonly syncedAt: Date | null;
  /** What the provider said of the number. Null: nothing yet. */
  readonly number: ChannelNumberState | null;
  /** When another process may begin, if this one has not ended. */
  readonly leasedUntil: Date;
};

/** Begins a synchronization, unless another process has begun it, or none is due any more. */
export async function beginSync(
  sql: TransactionSql,
  storeId: string,
  id: string,
  leaseMs: number,
): Promise<Sync | undefined> {
  const [due] = await sql<(ChannelRow & Pick<Sync, 'failures' | 'syncedAt' | 'number'>)[]>`
    select ${channelColumns(sql)}, template_sync_failures as failures, templates_synced_at as "syncedAt",
      number_state as number
    from channels
    where store_id = ${storeId} and id = ${id} and disconnected_at is null
      and (next_template_sync_at is null or next_template_sync_at <= clock_timestamp())
    for no key update skip locked`;
  if (!due) return undefined;
  const [begun] = await sql<[{ token: string; leased_until: Date }]>`
    update channels
    set template_sync_token = gen_random_uuid(),
        next_template_sync_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where store_id = ${storeId} and id = ${id}
    returning template_sync_token as token, next_template_sync_at as leased_until`;
  const { failures, syncedAt, number, ...channel } = due;
  return { channel, failures, syncedAt, number, token: begun.token, leasedUntil: begun.leased_until };
}

/** A webhook during the synchronization has made the next one due already. */
const unlessDue = (sql: Sql, { leasedUntil }: Sync, delayMs: number) => sql`
  case when next_template_sync_at = ${leasedUntil} then clock_timestamp() + ${delayMs} * interval '1 millisecond'
    else next_template_sync_at end`;

const asBegun = (sql: Sql, storeId: string, { channel, token }: Sync) => sql`
  store_id = ${storeId} and id = ${channel.id} and template_sync_token = ${token} and disconnected_at is null`;

type Ended = {
  readonly delayMs: number;
  readonly hasFailed: boolean;
  readonly hasTemplates: boolean;
  /** Why the templates could not be read. Null: they were, or there are none. */
  readonly templatesError: { readonly code: string; readonly detail: string } | null;
  /** What the provider says of the number. Null: it was not read, and stays as it is. */
  readonly number: ChannelNumberState | null;
};

/** Ends a synchronization. Returns false when another one has begun, or the channel was connected again. */
export async function endSync(sql: TransactionSql, storeId: string, sync: Sync, ended: Ended): Promise<boolean> {
  const { delayMs, hasFailed, hasTemplates, templatesError: error, number } = ended;
  const rows = await sql`
    update channels
    set next_template_sync_at = ${unlessDue(sql, sync, delayMs)}, template_sync_token = null,
        template_sync_failures = ${hasFailed ? sql`template_sync_failures + 1` : sql`0`},
        templates_error_code = ${error?.code ?? null}, templates_error_detail = ${error?.detail ?? null}
        ${hasTemplates ? sql`, templates_synced_at = clock_timestamp()` : sql``}
        ${number ? sql`, number_state = ${sql.json(number)}, number_checked_at = clock_timestamp()` : sql``}
    where ${asBegun(sql, storeId, sync)}
    returning id`;
  return rows.length > 0;
}

export type SyncState = {
  /** Null: the templates are not known. */
  readonly synced_at: Date | null;
  readonly error_code: string | null;
  readonly error_detail: string | null;
  readonly number_state: ChannelNumberState | null;
  readonly number_checked_at: Date | null;
};

/** What is known of the templates and the number of the store's live channel. */
export async function findSyncState(sql: Sql, storeId: string): Promise<(SyncState & { id: string }) | undefined> {
  const [row] = await sql<(SyncState & { id: string })[]>`
    select id, templates_synced_at as synced_at, templates_error_code as error_code,
      templates_error_detail as error_detail, number_state, number_checked_at
    from channels where store_id = ${storeId} and disconnected_at is null`;
  return row;
}

/** The templates that every channel of the provider has were saved. */
export async function markSynced(sql: TransactionSql, storeId: string, id: string, delayMs: number): Promise<void> {
  await sql`
    update channels
    set templates_synced_at = clock_timestamp(),
        next_template_sync_at = clock_timestamp() + ${delayMs} * interval '1 millisecond'
    where store_id = ${storeId} and id = ${id}`;
}

/** The provider says that something of the account changed. */
export async function makeSyncDue(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`
    update channels set next_template_sync_at = ${dueNow(sql)}
    where store_id = ${storeId} and id = ${id} and disconnected_at is null`;
}
