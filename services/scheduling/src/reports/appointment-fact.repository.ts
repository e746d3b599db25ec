import type { TransactionSql } from '@mostrador/kit/database/database';
import type { AppointmentFact } from './appointment-facts.ts';

/** Records facts at the time of the transaction. */
export async function insertFacts(
  sql: TransactionSql,
  storeId: string,
  facts: readonly AppointmentFact[],
): Promise<void> {
  if (facts.length === 0) return;
  await sql`
    insert into appointment_facts (store_id, metric, seller_id, service_id)
    select ${storeId}::uuid, metric, seller_id, service_id
    from json_to_recordset(${JSON.stringify(facts)}::text::json) as fact (metric text, seller_id uuid, service_id uuid)`;
}
