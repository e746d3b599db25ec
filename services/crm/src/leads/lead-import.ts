import type { importLeads, ReplyOf } from '@mostrador/contracts';
import { canonicalPhone } from '@mostrador/kit/phones/canonical-phone';
import type { SellerRow } from '../sellers/seller.ts';
import type { NewLeadWithPhone } from './lead.ts';

type Refused = ReplyOf<typeof importLeads>['refused'];

/** Splits off the leads whose seller is unknown or inactive. `sellers` are those of the store. */
export function splitByAssignable(
  leads: readonly NewLeadWithPhone[],
  sellers: readonly Pick<SellerRow, 'id' | 'is_active'>[],
): { accepted: NewLeadWithPhone[]; refused: Refused } {
  const isActive = new Map(sellers.map(({ id, is_active }) => [id, is_active]));
  const accepted: NewLeadWithPhone[] = [];
  const refused: Refused = [];
  for (const [index, lead] of leads.entries()) {
    const active = lead.seller_id === null || isActive.get(lead.seller_id.toLowerCase());
    if (active) accepted.push(lead);
    else refused.push({ index, code: active === undefined ? 'seller_not_found' : 'seller_inactive' });
  }
  return { accepted, refused };
}

/** The first lead of each phone, in the order of the canonical forms so that two concurrent imports cannot deadlock. */
export function oneOfEachPhone(leads: readonly NewLeadWithPhone[]): NewLeadWithPhone[] {
  const first = new Map<string, NewLeadWithPhone>();
  for (const lead of leads) {
    const key = canonicalPhone(lead.customer_phone);
    if (!first.has(key)) first.set(key, lead);
  }
  return [...first].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, lead]) => lead);
}
