import type { TransactionSql } from '@mostrador/kit/database/database';

/** What crm has of a lead: a count, or the version of a fact. It never goes back. */
type ReportedColumn = 'reported_count' | 'reported_opt_out_version' | 'reported_pause_version';

/**
 * Records what crm has, at most one value per lead. It leaves out a conversation that another transaction holds, because it
 * holds all others meanwhile: crm is told again, which changes nothing.
 */
export async function recordReported(
  sql: TransactionSql,
  storeId: string,
  column: ReportedColumn,
  values: readonly { readonly lead_id: string; readonly value: number }[],
): Promise<void> {
  await sql`
    update conversations c set ${sql(column)} = greatest(c.${sql(column)}, told.value)
    from (
      select held.lead_id, told.value
      from jsonb_to_recordset(${sql.json(values)}) as told (lead_id uuid, value integer)
      join conversations held on held.store_id = ${storeId} and held.lead_id = told.lead_id
      order by held.lead_id for no key update of held skip locked) as told
    where c.store_id = ${storeId} and c.lead_id = told.lead_id`;
}
