import type { createLead, Lead, RequestOf } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/validate';

/** A lead as its row has it. `version` moves with what the API's users change, so not with `interaction_count`. */
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

/** What is chosen when a lead is made; the rest of the row has its defaults. */
export type NewLead = Pick<LeadRow, 'name' | 'customer_phone' | 'status' | 'seller_id'>;

export function newLead(body: RequestOf<typeof createLead>['body']): NewLead {
  return {
    name: body.name,
    customer_phone: body.customer_phone,
    status: body.status ?? 'pending',
    seller_id: body.seller_id ?? null,
  };
}

export function toLead(row: LeadRow): Lead {
  return {
    id: row.id,
    store_id: row.store_id,
    name: row.name,
    customer_phone: row.customer_phone,
    status: row.status,
    seller_id: row.seller_id,
    interaction_count: row.interaction_count,
    ai_paused_until: row.ai_paused_until && toTimestamp(row.ai_paused_until),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
