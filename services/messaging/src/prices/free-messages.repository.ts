import type { Sql } from '@mostrador/kit/database/database';

/**
 * How many service messages the channel has delivered in this month (UTC), with a price or free. It stops at `most`, so that
 * a busy channel costs no more than one that has used them up.
 */
export async function countServiceMessages(
  sql: Sql,
  storeId: string,
  { channelId, most }: { readonly channelId: string; readonly most: number },
): Promise<{ used: number; month: string }> {
  const [row] = await sql<[{ used: number; month: string }]>`
    select to_char(now() at time zone 'UTC', 'YYYY-MM') as month, (
      select count(*)::int from (
        select 1 from messages
        where store_id = ${storeId} and channel_id = ${channelId} and priced_as in ('free_service', 'billed_service')
          and priced_at >= date_trunc('month', now(), 'UTC')
        limit ${most}) as counted) as used`;
  return row;
}
