import type { Sql } from '@mostrador/kit/database/database';

export type TelephoneMessage = {
  readonly id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly text: string;
  readonly at: Date;
};

/** What the telephone with this number has sent and been sent over the sandbox: the latest, in the order of time. */
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
