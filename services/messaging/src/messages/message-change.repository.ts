import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { messageColumns } from './message.repository.ts';
import type { MessageRow } from './message.ts';
import type { ChangedColumns, ChangeRow } from './message-change.ts';

/** A message of the channel, by the channel's id. */
type Target = { readonly channelId: string; readonly providerMessageId: string };

/** Stores a change, unless the same side has made a later one of its kind. A duplicate changes nothing. */
export async function saveChange(
  sql: TransactionSql,
  storeId: string,
  { channelId, providerMessageId }: Target,
  change: ChangeRow,
): Promise<void> {
  const { kind, source, event_id, changed_at, body, body_truncated, from_history } = change;
  await sql`
    insert into message_changes as known (store_id, channel_id, provider_message_id, kind, source, event_id, changed_at,
      body, body_truncated, from_history)
    values (${storeId}, ${channelId}, ${providerMessageId}, ${kind}, ${source}, ${event_id}, ${changed_at}, ${body},
      ${body_truncated}, ${from_history})
    on conflict (store_id, channel_id, provider_message_id, kind, source) do update
    set event_id = excluded.event_id, changed_at = excluded.changed_at, body = excluded.body,
        body_truncated = excluded.body_truncated, from_history = excluded.from_history, received_at = now()
    where (excluded.changed_at, excluded.event_id) > (known.changed_at, known.event_id)`;
}

/** Removes the text of an edit once its writer has deleted the message, also when it comes later. */
export async function forgetEdits(
  sql: TransactionSql,
  storeId: string,
  { channelId, providerMessageId }: Target,
): Promise<void> {
  await sql`
    update message_changes edit set body = '', body_truncated = false
    from message_changes revocation
    where edit.store_id = ${storeId} and edit.channel_id = ${channelId}
      and edit.provider_message_id = ${providerMessageId} and edit.kind = 'edit' and edit.body <> ''
      and revocation.store_id = edit.store_id and revocation.channel_id = edit.channel_id
      and revocation.provider_message_id = edit.provider_message_id and revocation.kind = 'revocation'
      and revocation.source = edit.source`;
}

/** The changes of a message, whether it is known or not. */
export async function listChanges(
  sql: Sql,
  storeId: string,
  { channelId, providerMessageId }: Target,
): Promise<ChangeRow[]> {
  return await sql<ChangeRow[]>`
    select kind, source, event_id, changed_at, body, body_truncated, from_history from message_changes
    where store_id = ${storeId} and channel_id = ${channelId} and provider_message_id = ${providerMessageId}
    order by source, kind`;
}

/** The message in either direction. */
export async function findTarget(
  sql: Sql,
  storeId: string,
  { channelId, providerMessageId }: Target,
): Promise<{ id: string; lead_id: string } | undefined> {
  const [row] = await sql<{ id: string; lead_id: string }[]>`
    select id, lead_id from messages
    where store_id = ${storeId} and channel_id = ${channelId} and provider_message_id = ${providerMessageId}`;
  return row;
}

/** Writes what has changed of a message. The caller holds the conversation's lock. Returns the saved row. */
export async function saveChanged(
  sql: TransactionSql,
  storeId: string,
  id: string,
  { body, body_truncated, reactions, edited_at, revoked_at }: ChangedColumns,
): Promise<MessageRow> {
  const [row] = await sql<[MessageRow]>`
    update messages
    set body = ${body}, body_truncated = ${body_truncated}, reactions = ${sql.json(reactions as never)},
        edited_at = ${edited_at}, revoked_at = ${revoked_at},
        content = case when ${revoked_at === null} then content end, media = case when ${revoked_at === null} then media end,
        template = case when ${revoked_at === null} then template else template - 'components' end
    where store_id = ${storeId} and id = ${id}
    returning ${messageColumns(sql)}`;
  return row;
}
