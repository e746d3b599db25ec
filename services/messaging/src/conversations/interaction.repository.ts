import type { Sql } from '@mostrador/kit/database/database';

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
