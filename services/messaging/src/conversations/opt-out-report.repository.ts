import type { Sql } from '@mostrador/kit/database/database';

/** When a lead opted out, null if it has not, with the version of that. */
export type UnsentOptOut = {
  readonly store_id: string;
  readonly lead_id: string;
  readonly opted_out_at: Date | null;
  readonly version: number;
};

/** Leads of any store whose opt-out has changed since it was last sent to crm. */
export async function findUnsentOptOuts(systemSql: Sql, limit: number): Promise<UnsentOptOut[]> {
  return await systemSql<UnsentOptOut[]>`
    select store_id, lead_id, opted_out_at, opt_out_version as version from conversations
    where (opted_out_at is not null or opt_out_version > 0) and reported_opt_out_version is distinct from opt_out_version
    limit ${limit}`;
}
