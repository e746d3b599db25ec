import type { createLead, EventData, Lead, RequestOf, updateLead } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';

/** The row of a lead. `version` rises with changes by the API's users, not with `interaction_count`. */
export type LeadRow = {
  id: string;
  store_id: string;
  name: string;
  customer_phone: string;
  status: Lead['status'];
  seller_id: string | null;
  interaction_count: number;
  ai_paused_until: Date | null;
  version: number;
  created_at: Date;
  updated_at: Date;
};

/** The given values of a new lead. The rest of the row has defaults. */
export type NewLead = Pick<LeadRow, 'name' | 'customer_phone' | 'status' | 'seller_id'>;

/** The members that a change may set. */
export type LeadContent = Pick<LeadRow, 'name' | 'status' | 'seller_id' | 'ai_paused_until'>;

export function newLead(body: RequestOf<typeof createLead>['body']): NewLead {
  return {
    name: body.name,
    customer_phone: body.customer_phone,
    status: body.status ?? 'pending',
    seller_id: body.seller_id ?? null,
  };
}

/** The lead's values after the change, or null if nothing changes. Any status may follow any other. */
export function changeLead(row: LeadRow, patch: RequestOf<typeof updateLead>['body']): LeadContent | null {
  const { name, status, seller_id, ai_paused_until } = patch;
  const changed: LeadContent = {
    name: name ?? row.name,
    status: status ?? row.status,
    seller_id: seller_id === undefined ? row.seller_id : (seller_id?.toLowerCase() ?? null),
    ai_paused_until:
      ai_paused_until === undefined
        ? row.ai_paused_until
        : ai_paused_until === null
          ? null
          : toInstant(ai_paused_until),
  };
  const same =
    changed.name === row.name &&
    changed.status === row.status &&
    changed.seller_id === row.seller_id &&
    changed.ai_paused_until?.getTime() === row.ai_paused_until?.getTime();
  return same ? null : changed;
}

/** The kept lead's values after another lead of the same person was merged into it, or null if nothing changes. */
export function mergeLeads(kept: LeadRow, merged: LeadRow): LeadContent | null {
  const { name, status } = kept;
  const seller_id = kept.seller_id ?? merged.seller_id;
  const pausedLonger = Number(merged.ai_paused_until) > Number(kept.ai_paused_until);
  if (seller_id === kept.seller_id && !pausedLonger) return null;
  return { name, status, seller_id, ai_paused_until: pausedLonger ? merged.ai_paused_until : kept.ai_paused_until };
}

/** A pause that is over is null. */
const pauseAt = ({ ai_paused_until }: LeadRow, now: Date): Date | null =>
  ai_paused_until && ai_paused_until > now ? ai_paused_until : null;

/**
 * The ETag of the lead as `toLead` returns it at `now`. After the version stands what changes without it: the
 * interaction count, and `p` while a pause is shown.
 */
export function leadEtag(row: LeadRow, now: Date): string {
  return etagOf(row.version, `${row.interaction_count}${pauseAt(row, now) ? 'p' : ''}`);
}

/** A lead as the API returns it at `now`. */
export function toLead(row: LeadRow, now: Date): Lead {
  const pause = pauseAt(row, now);
  return {
    id: row.id,
    store_id: row.store_id,
    name: row.name,
    customer_phone: row.customer_phone,
    status: row.status,
    seller_id: row.seller_id,
    interaction_count: row.interaction_count,
    ai_paused_until: pause && toTimestamp(pause),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

/** The data of the events about one lead. */
export function leadEvent({ id, status, seller_id }: LeadRow): EventData<'crm.lead.updated'> {
  return { lead_id: id, status, seller_id };
}
