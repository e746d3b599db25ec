import type { Sql } from '@mostrador/kit/database/database';
import { type AppointmentsByStatus, noFacts, type SchedulingFacts } from './scheduling-counts.ts';

/** A lead's facts from `from` (inclusive) to `to` (exclusive; null: open), and its current appointments by status. */
export async function countOfLead(
  sql: Sql,
  storeId: string,
  leadId: string,
  { from, to }: { readonly from: Date | null; readonly to: Date | null },
): Promise<{ facts: SchedulingFacts; byStatus: Partial<AppointmentsByStatus> }> {
  const [row] = await sql<[{ facts: Partial<SchedulingFacts>; by_status: Partial<AppointmentsByStatus> }]>`
    select (
      select coalesce(json_object_agg(status, count), '{}') from (
        select status, count(*) from appointments
        where store_id = ${storeId} and lead_id = ${leadId} group by 1) as counted) as by_status, (
      select coalesce(json_object_agg(metric, amount), '{}') from (
        select metric, sum(amount) as amount from lead_report_facts
        where store_id = ${storeId} and lead_id = ${leadId}
          ${from ? sql`and at >= ${from}` : sql``} ${to ? sql`and at < ${to}` : sql``}
        group by metric) as counted) as facts`;
  return { facts: { ...noFacts, ...row.facts }, byStatus: row.by_status };
}
