import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { turnColumns } from '../turns/turn.repository.ts';
import type { TurnRow } from '../turns/turn.ts';

/** Every store with an open turn. Read with the system role. */
export async function findStoresToFence(sql: Sql): Promise<string[]> {
  const rows = await sql<{ store_id: string }[]>`select distinct store_id from ai_turns where state = 'open'`;
  return rows.map(({ store_id }) => store_id);
}

/**
 * Ends the turns of a store that answer what came before the restore, also one that was opened after it: messaging may have
 * processed a webhook again. An attempt that runs loses its lease.
 */
export const endOpenTurns = (sql: TransactionSql, storeId: string, since: Date) =>
  sql<TurnRow[]>`
    update ai_turns
    set state = 'silent', reason = 'restored', reply = null, next_attempt_at = null, error_code = null,
        answered_to = coalesce(answered_to, last_received_at), lease_token = null, lease_until = null,
        updated_at = clock_timestamp()
    where store_id = ${storeId} and state = 'open' and first_received_at <= ${since}
    returning ${turnColumns(sql)}`;
