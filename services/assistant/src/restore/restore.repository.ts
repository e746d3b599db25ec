import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** Every store with an open turn. Read with the system role. */
export async function findStoresToFence(sql: Sql): Promise<string[]> {
  const rows = await sql<{ store_id: string }[]>`select distinct store_id from ai_turns where state = 'open'`;
  return rows.map(({ store_id }) => store_id);
}

/**
 * Locks the open turns of a store that answer what came before the restore, also those that were opened after it: messaging
 * may have processed a webhook again. Nothing up to the restore is answered again.
 */
export const settleOpenTurns = (sql: TransactionSql, storeId: string, since: Date) =>
  sql<{ id: string }[]>`
    update ai_turns set answered_to = least(last_received_at, ${since})
    where store_id = ${storeId} and state = 'open' and first_received_at <= ${since}
    returning id`;
