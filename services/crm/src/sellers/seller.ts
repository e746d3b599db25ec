import type { createSeller, RequestOf, Seller, updateSeller } from '@mostrador/contracts';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';

/** The row of a seller. `version` rises with changes by the API's users. */
export type SellerRow = Seller & { store_id: string; version: number; created_at: Date; updated_at: Date };

export type NewSeller = Pick<SellerRow, 'name' | 'whatsapp_id' | 'is_active'>;

export function newSeller(body: RequestOf<typeof createSeller>['body']): NewSeller {
  return { name: body.name, whatsapp_id: body.whatsapp_id, is_active: body.is_active ?? true };
}

/** The members that a change may set. */
export type SellerContent = Pick<SellerRow, 'name' | 'whatsapp_id' | 'is_active'>;

/** The seller's values after the change, or null if nothing changes. */
export function changeSeller(row: SellerContent, patch: RequestOf<typeof updateSeller>['body']): SellerContent | null {
  const changed: SellerContent = {
    name: patch.name ?? row.name,
    whatsapp_id: patch.whatsapp_id ?? row.whatsapp_id,
    is_active: patch.is_active ?? row.is_active,
  };
  const same =
    changed.name === row.name && changed.whatsapp_id === row.whatsapp_id && changed.is_active === row.is_active;
  return same ? null : changed;
}

export function toSeller({ id, name, whatsapp_id, is_active }: SellerRow): Seller {
  return { id, name, whatsapp_id, is_active };
}

/** The entries of the events about a seller. */
export function sellerEvents(what: 'created' | 'updated', row: SellerRow): OutboxEntry[] {
  const data = { seller_id: row.id, is_active: row.is_active };
  return [
    { kind: 'event', type: `crm.seller.${what}`, data },
    { kind: 'feed', type: `seller.${what}`, entityId: row.id, data, object: toSeller(row) },
  ];
}

/** The entries of a deletion, with the seller as it was last. */
export function sellerDeleted(row: SellerRow, leads_unassigned: number): OutboxEntry[] {
  const data = { seller_id: row.id, leads_unassigned };
  return [
    { kind: 'event', type: 'crm.seller.deleted', data },
    { kind: 'feed', type: 'seller.deleted', entityId: row.id, data, object: toSeller(row) },
  ];
}

/** Throws `seller_not_found` or `seller_inactive` if a lead cannot be assigned to the seller. */
export function assertAssignable(seller: Pick<SellerRow, 'is_active'> | null): void {
  if (!seller) throw new AppError('seller_not_found');
  if (!seller.is_active) throw new AppError('seller_inactive');
}
