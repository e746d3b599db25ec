import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findLeadIdByPhone, saveLead } from './lead.repository.ts';
import { isAnotherPhone, type LeadContent, type LeadRow, leadUpdated } from './lead.ts';

/**
 * Writes a change of a locked lead, and its events.
 *
 * @throws AppError `lead_exists` when another lead has the new phone
 * @throws a unique violation when another lead has just got the phone, or has the external id: `throwTaken`
 */
export async function saveChange(sql: TransactionSql, current: LeadRow, changed: LeadContent): Promise<LeadRow> {
  const { store_id, id, customer_phone } = current;
  if (changed.customer_phone !== null && changed.customer_phone !== customer_phone) {
    // Leads from before the canonical form have none, so the unique index is not enough.
    const other = await findLeadIdByPhone(sql, store_id, changed.customer_phone, id);
    if (other) throw new AppError('lead_exists', { members: { id: other } });
  }
  const saved = await saveLead(sql, current, changed);
  const moved = isAnotherPhone(current, saved);
  await appendOutbox(sql, store_id, [
    ...leadUpdated(current, saved),
    ...(moved ? [{ kind: 'event' as const, type: 'crm.lead.phone_changed' as const, data: { lead_id: id } }] : []),
  ]);
  return saved;
}
