import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

export type UnsentCount = {
  readonly store_id: string;
  readonly lead_id: string;
  readonly interaction_count: number;
};

/** Leads of any store whose count has risen since it was last sent to crm. */
export async function findUnsentCounts(systemSql: Sql, limit: number): Promise<UnsentCount[]> {
  return await systemSql<UnsentCount[]>`
    select store_id, lead_id, interaction_count from conversations
    where reported_count < interaction_count limit ${limit}`;
}

/** Records that crm has these counts, at most one per lead. */
export async function recordSentCounts(
  sql: TransactionSql,
  storeId: string,
  counts: readonly Omit<UnsentCount, 'store_id'>[],
): Promise<void> {
  await sql`
    update conversations c set reported_count = greatest(c.reported_count, told.interaction_count)
    from (
      select held.lead_id, told.interaction_count
      from jsonb_to_recordset(${sql.json(counts)}) as told (lead_id uuid, interaction_count integer)
      join conversations held on held.store_id = ${storeId} and held.lead_id = told.lead_id
      order by held.lead_id for no key update of held) as told
    where c.store_id = ${storeId} and c.lead_id = told.lead_id`;
}
