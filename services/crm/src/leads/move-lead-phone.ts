import type { moveLeadPhone as operation, ReplyOf, RequestOf } from '@mostrador/contracts';
import { isUniqueViolation, type TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { isSamePhone } from '@mostrador/kit/phones/canonical-phone';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLead, findLeadIdByPhone, lockLead, saveLead } from './lead.repository.ts';
import { changeLead, isAnotherPhone, type LeadRow, leadMerged, leadUpdated, mergeLeads } from './lead.ts';
import { leadNotFound } from './lead-not-found.ts';
import { findMerge, listUnfinishedOf, lockLeadsToMerge, moveMergedLead } from './merged-lead.repository.ts';
import { saveChange } from './save-change.ts';

type Body = RequestOf<typeof operation>['body'];
type Reply = ReplyOf<typeof operation>;

export const moveLeadPhone =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const reply = await database
      .write(context, (sql) => move(sql, context.storeId, body))
      .catch((error: unknown) => {
        // Another lead has just got the number. The retry finds it.
        const isTaken = error instanceof AppError && error.code === 'lead_exists';
        if (isTaken || isUniqueViolation(error)) throw changedMeanwhile();
        throw error;
      });
    relay.nudge();
    return reply;
  };

const changedMeanwhile = () => new AppError('service_unavailable', { retryAfterSeconds: 1 });

async function move(sql: TransactionSql, storeId: string, { lead_id, from_phone, to_phone }: Body): Promise<Reply> {
  // The lead may have been merged since, also by this move.
  const merge = await findMerge(sql, storeId, lead_id);
  const [lead] = await findLead(sql, storeId, merge?.merged_into ?? lead_id);
  if (!lead) throw await leadNotFound(sql, storeId, lead_id);
  if (isSamePhone(lead.customer_phone, to_phone)) return await replyOf(sql, 'moved', lead);
  if (from_phone !== undefined && !isSamePhone(lead.customer_phone, from_phone))
    return await replyOf(sql, 'kept', lead);
  const otherId = await findLeadIdByPhone(sql, storeId, to_phone, lead.id);
  const saved = otherId ? await mergeWith(sql, lead, otherId, to_phone) : await saveNumber(sql, lead, to_phone);
  return await replyOf(sql, 'moved', saved);
}

const replyOf = async (sql: TransactionSql, outcome: Reply['outcome'], { store_id, id, version }: LeadRow) => ({
  outcome,
  lead_id: id,
  version,
  merged: await listUnfinishedOf(sql, store_id, id),
});

async function saveNumber(sql: TransactionSql, { store_id, id, version }: LeadRow, phone: string): Promise<LeadRow> {
  const current = await lockLead(sql, store_id, id);
  if (current?.version !== version) throw changedMeanwhile();
  const changed = changeLead(current, { customer_phone: phone });
  return changed ? await saveChange(sql, current, changed) : current;
}

/** Merges the younger of two leads, who are one person now, into the older one. That one gets the number. */
async function mergeWith(sql: TransactionSql, lead: LeadRow, otherId: string, phone: string): Promise<LeadRow> {
  const { store_id } = lead;
  const [other] = await findLead(sql, store_id, otherId);
  if (!other) throw changedMeanwhile();
  const isOlder = lead.created_at < other.created_at || (+lead.created_at === +other.created_at && lead.id < other.id);
  const [older, younger] = isOlder ? [lead, other] : [other, lead];
  const { merged, kept } = await lockLeadsToMerge(sql, store_id, { lead_id: younger.id, merged_into: older.id });
  if (merged?.version !== younger.version || kept?.version !== older.version) throw changedMeanwhile();

  await moveMergedLead(sql, merged, kept.id);
  const joined = mergeLeads(kept, merged);
  // A number that the store has in another form stays as it was written.
  const hasNumber = isSamePhone(kept.customer_phone, phone);
  const content =
    changeLead({ ...kept, ...joined }, { customer_phone: hasNumber ? kept.customer_phone : phone }) ?? joined;
  const saved = content ? await saveLead(sql, kept, content) : kept;
  await appendOutbox(sql, store_id, [
    ...leadMerged(merged, kept.id),
    ...(content ? leadUpdated(kept, saved) : []),
    ...(isAnotherPhone(kept, saved)
      ? [{ kind: 'event' as const, type: 'crm.lead.phone_changed' as const, data: { lead_id: saved.id } }]
      : []),
  ]);
  return saved;
}
