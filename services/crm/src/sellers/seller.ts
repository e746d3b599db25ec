import type { createSeller, RequestOf, Seller, updateSeller } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
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

const idsOf = (row: SellerRow) => ({ seller_id: row.id, is_active: row.is_active });
const shown = (row: SellerRow) =>
  ({ kind: 'feed', entityId: row.id, etag: etagOf(row.version), object: toSeller(row) }) as const;

/** The entries of the events about a new seller. */
export const sellerCreated = (row: SellerRow): OutboxEntry[] => [
  { kind: 'event', type: 'crm.seller.created', data: idsOf(row) },
  { ...shown(row), type: 'seller.created', data: idsOf(row) },
];

/** The entries of the events about a changed seller. */
export const sellerUpdated = (before: SellerRow, row: SellerRow): OutboxEntry[] => [
  { kind: 'event', type: 'crm.seller.updated', data: idsOf(row) },
  { ...shown(row), type: 'seller.updated', data: idsOf(row), before: toSeller(before) },
];

/** The entries of a deletion, with the seller as it was last. */
export function sellerDeleted(row: SellerRow, leads_unassigned: number): OutboxEntry[] {
  const data = { seller_id: row.id, leads_unassigned };
  return [
    { kind: 'event', type: 'crm.seller.deleted', data },
    { ...shown(row), type: 'seller.deleted', data },
  ];
}

/** Throws `seller_not_found` or `seller_inactive` if a lead cannot be assigned to the seller. */
export function assertAssignable(seller: Pick<SellerRow, 'is_active'> | null): void {
  if (!seller) throw new AppError('seller_not_found');
  if (!seller.is_active) throw new AppError('seller_inactive');
}
