import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** A pause of the AI that a message began, with its version. */
export type UnsentPause = {
  readonly store_id: string;
  readonly lead_id: string;
  readonly ai_paused_until: Date | null;
  readonly version: number;
};

/**
 * Pauses of any store that were not sent to crm yet. The order is that of the index: the planner takes the rows for many, and
 * would read the table.
 */
export async function findUnsentPauses(systemSql: Sql, limit: number): Promise<UnsentPause[]> {
  return await systemSql<UnsentPause[]>`
    select store_id, lead_id, ai_paused_until, ai_pause_version as version from conversations
    where reported_pause_version < ai_pause_version
    order by store_id, lead_id limit ${limit}`;
}

/** Records that crm has these versions, at most one per lead. */
export async function recordSentPauses(
  sql: TransactionSql,
  storeId: string,
  sent: readonly Pick<UnsentPause, 'lead_id' | 'version'>[],
): Promise<void> {
  const versions = sent.map(({ lead_id, version }) => ({ lead_id, version }));
  await sql`
    update conversations c set reported_pause_version = greatest(c.reported_pause_version, told.version)
    from (
      select held.lead_id, told.version
      from jsonb_to_recordset(${sql.json(versions)}) as told (lead_id uuid, version integer)
      join conversations held on held.store_id = ${storeId} and held.lead_id = told.lead_id
      order by held.lead_id for no key update of held) as told
    where c.store_id = ${storeId} and c.lead_id = told.lead_id`;
}
