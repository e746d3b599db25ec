import type { Sql, TransactionSql } from '@mostrador/kit/postgres';

export type UnreportedCount = {
  readonly store_id: string;
  readonly lead_id: string;
  readonly interaction_count: number;
};

/** Leads of any store whose count has risen since crm was last told of it. */
export async function findUnreportedCounts(systemSql: Sql, limit: number): Promise<UnreportedCount[]> {
  return await systemSql<UnreportedCount[]>`
    select store_id, lead_id, interaction_count from conversations
    where reported_count < interaction_count limit ${limit}`;
}

/** crm knows of this count. */
export async function recordReported(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  interactionCount: number,
): Promise<void> {
  await sql`
    update conversations set reported_count = greatest(reported_count, ${interactionCount})
    where store_id = ${storeId} and lead_id = ${leadId}`;
}
