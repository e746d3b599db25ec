import type { MessageContent, MessageMedia, MessageReaction, MessageStatus } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { addressesOf, customerOf, idsOf } from './customer.ts';

export type SandboxRow = {
  readonly id: string;
  readonly store_id: string;
  readonly phone: string | null;
  readonly is_expired: boolean;
};

/** The connected sandbox channel whose address has this token. The address ends `days` days after it was connected. */
export async function findSandbox(systemSql: Sql, tokenHash: Buffer, days: number): Promise<SandboxRow | undefined> {
  const [row] = await systemSql<SandboxRow[]>`
    select id, store_id, phone, connected_at < clock_timestamp() - make_interval(days => ${days}) as is_expired
    from channels where sandbox_token_hash = ${tokenHash} and disconnected_at is null`;
  return row;
}

/** The statement that stores a message for the telephone, which shows it after `afterMs`. A duplicate changes nothing. */
export function insertDelivery(
  sql: Sql,
  storeId: string,
  delivery: {
    readonly id: string;
    readonly channelId: string;
    readonly phone: string;
    readonly body: string;
    readonly afterMs: number;
  },
) {
  const { id, channelId, phone, body, afterMs } = delivery;
  return sql`
    insert into sandbox_deliveries (store_id, id, channel_id, customer_phone, body, delivered_at)
    values (${storeId}, ${id}, ${channelId}, ${phone}, ${body},
      clock_timestamp() + ${afterMs} * interval '1 millisecond')
    on conflict do nothing`;
}

/** Stores webhooks of the sandbox. The processor handles each after its `afterMs`, as if it arrived then. */
export async function planStatusUpdates(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  planned: readonly { readonly payload: string; readonly afterMs: number }[],
): Promise<void> {
  const rows = planned.map(({ payload, afterMs }) => ({ payload, after_ms: afterMs }));
  await sql`
    insert into inbound_payloads (store_id, channel_id, payload, received_at, next_attempt_at)
    select ${storeId}::uuid, ${channelId}::uuid, convert_to(payload, 'UTF8'), due.at, due.at
    from json_to_recordset(${sql.json(rows)}::json) as planned (payload text, after_ms double precision),
      lateral (select clock_timestamp() + after_ms * interval '1 millisecond' as at) due`;
}

export type TelephoneMessage = {
  readonly id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly text: string;
  readonly at: Date;
  // Null for a delivery without a message.
  readonly status: MessageStatus | null;
  readonly kind: string | null;
  readonly reactions: readonly MessageReaction[] | null;
  // Null for most messages, too.
  readonly media: MessageMedia | null;
  readonly content: MessageContent | null;
  readonly reply_to_id: string | null;
  readonly edited_at: Date | null;
  readonly revoked_at: Date | null;
};

/** `phone`: one of the forms of its number, of which a lead may have another one, or `@` and a username. */
type Telephone = { readonly channelId: string; readonly phone: string; readonly limit: number };

/** SQL condition: the conversation `c` is the customer's. */
const isOf = (sql: Sql, customer: string) => {
  const { userId } = idsOf(customer);
  return userId === null
    ? sql`c.wa_id = any(${addressesOf(customer)}::text[])`
    : sql`c.lead_id = (
        select u.lead_id from customer_user_ids u where u.store_id = c.store_id and u.user_id = ${userId})`;
};

const shown = (sql: Sql) => sql`m.kind, m.media, m.content, m.reply_to_id, m.reactions, m.edited_at, m.revoked_at`;

/** A message from or to the telephone with this number. */
export async function findTelephoneMessage(
  sql: Sql,
  storeId: string,
  { channelId, phone, id }: Omit<Telephone, 'limit'> & { readonly id: string },
): Promise<{ direction: 'inbound' | 'outbound'; provider_message_id: string } | undefined> {
  const [row] = await sql<{ direction: 'inbound' | 'outbound'; provider_message_id: string }[]>`
    select m.direction, m.provider_message_id from messages m
    where m.store_id = ${storeId} and m.id = ${id} and m.channel_id = ${channelId} and m.provider_message_id is not null
      and (exists (
        select from conversations c
        where c.store_id = m.store_id and c.lead_id = m.lead_id and m.direction = 'inbound'
          and ${isOf(sql, phone)})
      or exists (
        select from sandbox_deliveries d
        where d.store_id = m.store_id and d.id = m.id and d.customer_phone = any(${addressesOf(phone)}::text[])))`;
  return row;
}

/** The latest messages from and to the telephone with this number, the oldest first. */
export async function listTelephoneMessages(
  sql: Sql,
  storeId: string,
  { channelId, phone, limit }: Telephone,
): Promise<TelephoneMessage[]> {
  const rows = await sql<TelephoneMessage[]>`
    (select m.id, m.direction, m.body as text, m.created_at as at, m.status, ${shown(sql)}
     from conversations c join messages m using (store_id, lead_id)
     where c.store_id = ${storeId} and ${isOf(sql, phone)}
       and m.direction = 'inbound' and m.channel_id = ${channelId}
     order by m.number desc limit ${limit})
    union all
    (select d.id, 'outbound', d.body, d.delivered_at, m.status, ${shown(sql)}
     from sandbox_deliveries d left join messages m on m.store_id = d.store_id and m.id = d.id
     where d.store_id = ${storeId} and d.channel_id = ${channelId} and d.customer_phone = any(${addressesOf(phone)}::text[])
       and d.delivered_at <= statement_timestamp()
     order by d.delivered_at desc limit ${limit})
    order by at desc, id desc limit ${limit}`;
  return rows.toReversed();
}

/** A message that the telephone has not reported yet, and what it was sent as if it is only a template. */
export type Unreported = { readonly id: string; readonly template: { name: string; language: string } | null };

/**
 * The latest messages on the telephone with this number that the store does not know to be `delivered` yet, or `read`.
 */
export async function listUnreported(
  sql: Sql,
  storeId: string,
  { channelId, phone, limit }: Telephone,
  status: 'delivered' | 'read',
): Promise<Unreported[]> {
  const open = ['sending', 'unknown', 'sent', ...(status === 'read' ? ['delivered'] : [])];
  return await sql<Unreported[]>`
    select d.id, case when m.kind = 'template' then m.template end as template
    from sandbox_deliveries d join messages m on m.store_id = d.store_id and m.id = d.id
    where d.store_id = ${storeId} and d.channel_id = ${channelId} and d.customer_phone = any(${addressesOf(phone)}::text[])
      and d.delivered_at <= statement_timestamp() and m.status = any(${open}::text[])
    order by d.delivered_at desc limit ${limit}`;
}

/** What the customer with this number did that opens the reply window. */
export async function findWindowOpeners(
  sql: Sql,
  storeId: string,
  phone: string,
): Promise<{ last_inbound_at: Date | null; called_at: Date | null }> {
  const [row] = await sql<[{ last_inbound_at: Date | null; called_at: Date | null }]>`
    select max(c.last_inbound_at) as last_inbound_at, max(c.called_at) as called_at from conversations c
    where c.store_id = ${storeId} and ${isOf(sql, phone)}`;
  return row;
}

/** Whether a customer with this phone has written on this sandbox. */
export async function hasWritten(
  sql: Sql,
  storeId: string,
  { channelId, phone }: { readonly channelId: string; readonly phone: string },
): Promise<boolean> {
  const rows = await sql`
    select 1 from conversations c
    where c.store_id = ${storeId} and ${isOf(sql, phone)} and exists (
      select from messages m
      where m.store_id = c.store_id and m.lead_id = c.lead_id and m.channel_id = ${channelId}
        and m.direction = 'inbound')
    limit 1`;
  return rows.length > 0;
}

/** Whether another agent of the number has the conversation of this customer. */
export async function isWithOther(sql: Sql, storeId: string, phone: string): Promise<boolean> {
  const rows = await sql`
    select 1 from conversations c
    where c.store_id = ${storeId} and ${isOf(sql, phone)} and c.handover_owner = 'other' limit 1`;
  return rows.length > 0;
}

/** The customers who wrote on this sandbox, the latest first. */
export async function listSandboxCustomers(
  sql: Sql,
  storeId: string,
  { channelId, limit }: { readonly channelId: string; readonly limit: number },
): Promise<{ lead_id: string; phone: string }[]> {
  const rows = await sql<{ lead_id: string; phone: string }[]>`
    select c.lead_id, coalesce(c.wa_id, c.user_id) as phone from conversations c
    where c.store_id = ${storeId} and coalesce(c.wa_id, c.user_id) is not null and c.last_inbound_at is not null
      and exists (
        select from messages m
        where m.store_id = c.store_id and m.lead_id = c.lead_id and m.channel_id = ${channelId}
          and m.direction = 'inbound')
    order by c.last_inbound_at desc limit ${limit}`;
  return rows.map(({ lead_id, phone }) => ({ lead_id, phone: customerOf(phone) }));
}
