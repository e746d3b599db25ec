import type { ChannelConnection } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/postgres';

/** The store's live channel, of which there is at most one; null when none is connected. */
export async function findChannel(sql: Sql, storeId: string): Promise<ChannelConnection | null> {
  const [row] = await sql<ChannelConnection[]>`
    select provider, status, phone from channels where store_id = ${storeId} and disconnected_at is null`;
  return row ?? null;
}
