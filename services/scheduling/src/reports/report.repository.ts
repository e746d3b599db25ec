import type { Sql } from '@mostrador/kit/database/database';
import {
  type AppointmentsByStatus,
  type FollowupsByStatus,
  noFacts,
  type SchedulingFacts,
} from './scheduling-counts.ts';

/** A lead's facts from `from` (inclusive) to `to` (exclusive; null: open), and its current appointments and follow-ups by status. */
export async function countOfLead(
  sql: Sql,
  storeId: string,
  leadId: string,
  { from, to }: { readonly from: Date | null; readonly to: Date | null },
): Promise<{
  facts: SchedulingFacts;
  appointments: Partial<AppointmentsByStatus>;
  followups: Partial<FollowupsByStatus>;
}> {
  type Row = {
    facts: Partial<SchedulingFacts>;
    appointments: Partial<AppointmentsByStatus>;
    followups: Partial<FollowupsByStatus>;
  };
  const [row] = await sql<[Row]>`
    select (
      select coalesce(json_object_agg(status, count), '{}') from (
        select status, count(*) from appointments
        where store_id = ${storeId} and lead_id = ${leadId} group by 1) as counted) as appointments, (
      select coalesce(json_object_agg(status, count), '{}') from (
        select status, count(*) from followups
        where store_id = ${storeId} and lead_id = ${leadId} group by 1) as counted) as followups, (
      select coalesce(json_object_agg(metric, amount), '{}') from (
        select metric, sum(amount) as amount from lead_report_facts
        where store_id = ${storeId} and lead_id = ${leadId}
          ${from ? sql`and at >= ${from}` : sql``} ${to ? sql`and at < ${to}` : sql``}
        group by metric) as counted) as facts`;
  return { ...row, facts: { ...noFacts, ...row.facts } };
}
