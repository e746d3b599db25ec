import type { LeadMerge, mergeLead as operation, ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { saveLead } from './lead.repository.ts';
import { isAnotherPhone, isPhoneOf, type LeadRow, leadMerged, leadUpdated, mergeLeads } from './lead.ts';
import { leadNotFound } from './lead-not-found.ts';
import { findMerge, lockLeadsToMerge, type MergeRow, moveMergedLead, savePhoneKey } from './merged-lead.repository.ts';

export const mergeLead =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { dry_run = false, ...body } }) => {
    const ids = { lead_id: body.lead_id.toLowerCase(), merged_into: body.merged_into.toLowerCase() };
    if (ids.lead_id === ids.merged_into) {
      throw validationFailed([{ pointer: '#/merged_into', detail: 'must be another lead than `lead_id`' }]);
    }
    const merge = await database.write(context, (sql) => run(sql, context.storeId, ids, dry_run));
    relay.nudge();
    return merge ? toMerge(merge) : { ...ids, merged_at: null, finished_at: null };
  };

/** Returns undefined for a dry run that would merge. */
async function run(
  sql: TransactionSql,
  storeId: string,
  ids: LeadMerge,
  dryRun: boolean,
): Promise<MergeRow | undefined> {
  const { merged, kept } = await lockLeadsToMerge(sql, storeId, ids);
  if (!merged) {
    const done = await findMerge(sql, storeId, ids.lead_id);
    if (done?.merged_into === ids.merged_into) return done;
    throw await leadNotFound(sql, storeId, ids.lead_id);
  }
  if (!kept) throw await leadNotFound(sql, storeId, ids.merged_into);
  if (!mayBeOne(kept, merged)) throw new AppError('lead_not_duplicate');
  if (dryRun) return undefined;

  const merge = await moveMergedLead(sql, merged, kept.id);
  await savePhoneKey(sql, kept);
  const changed = mergeLeads(kept, merged);
  const saved = changed && (await saveLead(sql, kept, changed));
  await appendOutbox(sql, storeId, [
    ...leadMerged(merged, kept.id),
    ...(saved ? leadUpdated(kept, saved) : []),
    ...(saved && isAnotherPhone(kept, saved) ? [phoneChanged(saved.id)] : []),
  ]);
  return merge;
}

/** Two phones must be forms of one. A lead without a phone may be the person of any: the operator says so. */
const mayBeOne = (kept: LeadRow, merged: LeadRow): boolean =>
  kept.customer_phone !== null && merged.customer_phone !== null
    ? isPhoneOf(merged, kept.customer_phone)
    : kept.customer_phone !== merged.customer_phone;

const phoneChanged = (lead_id: string) => ({
  ...{ kind: 'event' as const, type: 'crm.lead.phone_changed' as const, data: { lead_id } },
});

const toMerge = ({ lead_id, merged_into, merged_at, finished_at }: MergeRow): ReplyOf<typeof operation> => ({
  lead_id,
  merged_into,
  merged_at: toTimestamp(merged_at),
  finished_at: finished_at && toTimestamp(finished_at),
});
