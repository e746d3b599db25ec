import type { MessageAuthor } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';

/** A pause of the AI that a message began, with its version. */
export type UnsentPause = {
  readonly store_id: string;
  readonly lead_id: string;
  readonly ai_paused_until: Date | null;
  readonly ai_paused_by: MessageAuthor | null;
  readonly version: number;
};

/**
 * Pauses of any store that were not sent to crm yet. The order is that of the index: the planner takes the rows for many, and
 * would read the table.
 */
export async function findUnsentPauses(systemSql: Sql, limit: number): Promise<UnsentPause[]> {
  return await systemSql<UnsentPause[]>`
    select store_id, lead_id, ai_paused_until, ai_paused_by, ai_pause_version as version from conversations
    where reported_pause_version < ai_pause_version
    order by store_id, lead_id limit ${limit}`;
}
