import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

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

/** Records that crm has these versions, at most one per lead. */
export async function recordSentOptOuts(
  sql: TransactionSql,
  storeId: string,
  sent: readonly Pick<UnsentOptOut, 'lead_id' | 'version'>[],
): Promise<void> {
  const versions = sent.map(({ lead_id, version }) => ({ lead_id, version }));
  await sql`
    update conversations c set reported_opt_out_version = greatest(c.reported_opt_out_version, told.version)
    from (
      select held.lead_id, told.version
      from jsonb_to_recordset(${sql.json(versions)}) as told (lead_id uuid, version integer)
      join conversations held on held.store_id = ${storeId} and held.lead_id = told.lead_id
      order by held.lead_id for no key update of held) as told
    where c.store_id = ${storeId} and c.lead_id = told.lead_id`;
}
