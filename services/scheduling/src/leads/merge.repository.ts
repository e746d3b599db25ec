import { readClock } from '@mostrador/kit/database/clock.repository';
import type { TransactionSql } from '@mostrador/kit/database/database';

/** The ids of the lead that was merged and of the lead that gets its rows. */
export type Merged = { readonly goneId: string; readonly keptId: string };

/** Locks the lead's follow-ups that are not final, in the order of their ids. Returns whether an attempt is running. */
export async function lockUnsettledFollowups(sql: TransactionSql, storeId: string, leadId: string): Promise<boolean> {
  const rows = await sql<{ lease_until: Date | null }[]>`
    select lease_until from followups
    where store_id = ${storeId} and lead_id = ${leadId} and status in ('pending', 'sending')
    order by id for no key update`;
  const now = await readClock(sql);
  return rows.some(({ lease_until }) => lease_until !== null && lease_until > now);
}

/**
 * Moves the follow-ups. `updated_at` of a final one stays, because the reports count by it. Returns how many it moved.
 */
export async function moveFollowups(sql: TransactionSql, storeId: string, { goneId, keptId }: Merged): Promise<number> {
  const { count } = await sql`
    update followups
    set lead_id = ${keptId}, updated_at = case when status in ('pending', 'sending')
      then greatest(clock_timestamp(), updated_at) else updated_at end
    where store_id = ${storeId} and lead_id = ${goneId}`;
  return count;
}

/**
 * Moves the appointments, as a change that the API shows. An event has no lead in it, so a calendar that shows the version
 * before is up to date with the new one. Returns how many it moved.
 */
export async function moveAppointments(
  sql: TransactionSql,
  storeId: string,
  { goneId, keptId }: Merged,
): Promise<number> {
  const [moved] = await sql<[{ count: number }]>`
    with moved as (
      update appointments
      set lead_id = ${keptId}, version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)
      where store_id = ${storeId} and lead_id = ${goneId}
      returning id, version),
    synced as (
      update calendar_syncs sync
      set desired_version = moved.version,
          synced_version = case when state = 'synced' then moved.version else synced_version end
      from moved where sync.store_id = ${storeId} and sync.appointment_id = moved.id)
    select count(*)::int as count from moved`;
  return moved.count;
}
