import type { moveLeadPhone as operation, ReplyOf, RequestOf } from '@mostrador/contracts';
import { isUniqueViolation, type TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findContactNames, forgetContactNames, lockContacts } from './contact-name.repository.ts';
import { findLead, findLeadIdByPhone, findLeadIdByUserId, lockLead, saveLead } from './lead.repository.ts';
import { isAnotherPhone, isPhoneOf, type LeadRow, leadMerged, leadUpdated, mergeLeads, moveLead } from './lead.ts';
import { leadNotFound } from './lead-not-found.ts';
import { findMerge, listUnfinishedOf, lockLeadsToMerge, moveMergedLead } from './merged-lead.repository.ts';
import { nameByContact } from './name-by-contact.ts';
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

async function move(sql: TransactionSql, storeId: string, body: Body): Promise<Reply> {
  const { lead_id, to_phone, to_user_id } = body;
  if (to_phone !== undefined) await lockContacts(sql, storeId, [to_phone]);
  // The lead may have been merged since, also by this move.
  const merge = await findMerge(sql, storeId, lead_id);
  const [lead] = await findLead(sql, storeId, merge?.merged_into ?? lead_id);
  if (!lead) throw await leadNotFound(sql, storeId, lead_id);
  if (isKept(lead, body)) return await replyOf(sql, 'kept', lead);
  let saved = lead;
  if (to_phone !== undefined && !isPhoneOf(lead, to_phone)) {
    const otherId = await findLeadIdByPhone(sql, storeId, to_phone, saved.id);
    if (otherId) saved = await mergeWith(sql, saved, otherId, body);
  }
  if (to_user_id !== undefined) {
    const otherId = await findLeadIdByUserId(sql, storeId, to_user_id);
    if (otherId && otherId !== saved.id) saved = await mergeOrRelease(sql, saved, otherId, body);
  }
  const moved = await saveIdentity(sql, saved, body);
  return await replyOf(sql, 'moved', to_phone === undefined ? moved : await nameByKept(sql, moved, to_phone));
}

/** Names a locked lead by what is kept of its new number. */
async function nameByKept(sql: TransactionSql, lead: LeadRow, phone: string): Promise<LeadRow> {
  const [kept] = (await findContactNames(sql, lead.store_id, [phone])).values();
  if (!kept) return lead;
  await forgetContactNames(sql, lead.store_id, [phone]);
  return await nameByContact(sql, lead, kept);
}

/** Whether the store has given the lead another number than the customer had. */
const isKept = (lead: LeadRow, { from_phone, to_phone }: Body): boolean =>
  to_phone !== undefined &&
  from_phone !== undefined &&
  lead.customer_phone !== null &&
  !isPhoneOf(lead, to_phone) &&
  (from_phone === null || !isPhoneOf(lead, from_phone));

const replyOf = async (sql: TransactionSql, outcome: Reply['outcome'], { store_id, id, version }: LeadRow) => ({
  outcome,
  lead_id: id,
  version,
  merged: await listUnfinishedOf(sql, store_id, id),
});

/** What the lead has of the channel's identity after the move. A number that it has in another form stays as it was written. */
const identityAfter = (lead: LeadRow, { to_phone, to_user_id }: Body) => ({
  customer_phone: to_phone === undefined || isPhoneOf(lead, to_phone) ? lead.customer_phone : to_phone,
  channel_user_id: lead.channel_user_id && (to_user_id ?? lead.channel_user_id),
});

async function saveIdentity(sql: TransactionSql, { store_id, id, version }: LeadRow, body: Body): Promise<LeadRow> {
  const current = await lockLead(sql, store_id, id);
  if (current?.version !== version) throw changedMeanwhile();
  const changed = moveLead(current, identityAfter(current, body));
  return changed ? await saveChange(sql, current, changed) : current;
}

/** Two leads with the customer's ids are one person. If both have a number, and not the same, the other lead only loses the id. */
async function mergeOrRelease(sql: TransactionSql, lead: LeadRow, otherId: string, body: Body): Promise<LeadRow> {
  const [other] = await findLead(sql, lead.store_id, otherId);
  if (!other) throw changedMeanwhile();
  const { customer_phone } = identityAfter(lead, body);
  if (other.customer_phone === null || customer_phone === null || isPhoneOf(other, customer_phone)) {
    return await mergeWith(sql, lead, otherId, body);
  }
  const current = await lockLead(sql, lead.store_id, otherId);
  if (current?.version !== other.version) throw changedMeanwhile();
  const released = moveLead(current, { customer_phone: other.customer_phone, channel_user_id: null });
  if (released) await saveChange(sql, current, released);
  return lead;
}

/** Merges the younger of two leads, who are one person now, into the older one. That one gets the identity. */
async function mergeWith(sql: TransactionSql, lead: LeadRow, otherId: string, body: Body): Promise<LeadRow> {
  const { store_id } = lead;
  const [other] = await findLead(sql, store_id, otherId);
  if (!other) throw changedMeanwhile();
  const isOlder = lead.created_at < other.created_at || (+lead.created_at === +other.created_at && lead.id < other.id);
  const [older, younger] = isOlder ? [lead, other] : [other, lead];
  const { merged, kept } = await lockLeadsToMerge(sql, store_id, { lead_id: younger.id, merged_into: older.id });
  if (merged?.version !== younger.version || kept?.version !== older.version) throw changedMeanwhile();

  await moveMergedLead(sql, merged, kept.id);
  const joined = { ...kept, ...mergeLeads(kept, merged) };
  const content = moveLead(joined, identityAfter(joined, body)) ?? mergeLeads(kept, merged);
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
