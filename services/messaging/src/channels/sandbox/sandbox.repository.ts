import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** The connected sandbox channel whose address has this token. */
export async function findSandbox(
  systemSql: Sql,
  tokenHash: Buffer,
): Promise<{ id: string; store_id: string; phone: string | null } | undefined> {
  const [row] = await systemSql<{ id: string; store_id: string; phone: string | null }[]>`
    select id, store_id, phone from channels where sandbox_token_hash = ${tokenHash} and disconnected_at is null`;
  return row;
}

/** Stores a message for the telephone. A duplicate changes nothing. */
export async function insertDelivery(
  sql: TransactionSql,
  storeId: string,
  delivery: { readonly id: string; readonly channelId: string; readonly phone: string; readonly body: string },
): Promise<void> {
  const { id, channelId, phone, body } = delivery;
  await sql`
    insert into sandbox_deliveries (store_id, id, channel_id, customer_phone, body)
    values (${storeId}, ${id}, ${channelId}, ${phone}, ${body})
    on conflict do nothing`;
}

export type TelephoneMessage = {
  readonly id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly text: string;
  readonly at: Date;
};

/** The latest messages from and to the telephone with this number, the oldest first. */
export async function listTelephoneMessages(
  sql: Sql,
  storeId: string,
  { channelId, phone, limit }: { channelId: string; phone: string; limit: number },
): Promise<TelephoneMessage[]> {
  const rows = await sql<TelephoneMessage[]>`
    (select m.id, m.direction, m.body as text, m.created_at as at
     from conversations c join messages m using (store_id, lead_id)
     where c.store_id = ${storeId} and c.wa_id = ${phone} and m.direction = 'inbound' and m.channel_id = ${channelId}
     order by m.number desc limit ${limit})
    union all
    (select id, 'outbound', body, delivered_at from sandbox_deliveries
     where store_id = ${storeId} and channel_id = ${channelId} and customer_phone = ${phone}
     order by delivered_at desc limit ${limit})
    order by at desc, id desc limit ${limit}`;
  return rows.toReversed();
}
