import { isDeepStrictEqual } from 'node:util';
import {
  type createSeller,
  faultsOfHours,
  type OpeningHours,
  type RequestOf,
  type Seller,
  type updateSeller,
} from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';

/** The row of a seller. `version` rises with changes by the API's users. */
export type SellerRow = Required<Seller> & { store_id: string; version: number; created_at: Date; updated_at: Date };

/** The members that a request sets. */
export type SellerContent = Pick<SellerRow, 'name' | 'whatsapp_id' | 'is_active' | 'bookable' | 'hours'>;

/** @throws AppError `validation_failed` for hours that end before they begin */
export function newSeller(body: RequestOf<typeof createSeller>['body']): SellerContent {
  const { name, whatsapp_id, is_active = true, bookable = false, hours = null } = body;
  assertHours(hours);
  return { name, whatsapp_id, is_active, bookable, hours };
}

/** @throws AppError `validation_failed` for hours that end before they begin */
export function assertHours(hours: readonly OpeningHours[] | null): void {
  const faults = faultsOfHours(hours ?? [], '#/hours');
  if (faults.length > 0) throw validationFailed(faults);
}

/** The seller's values after the change, or null if nothing changes. */
export function changeSeller(row: SellerContent, patch: RequestOf<typeof updateSeller>['body']): SellerContent | null {
  const changed: SellerContent = {
    name: patch.name ?? row.name,
    whatsapp_id: patch.whatsapp_id ?? row.whatsapp_id,
    is_active: patch.is_active ?? row.is_active,
    bookable: patch.bookable ?? row.bookable,
    hours: patch.hours === undefined ? row.hours : patch.hours,
  };
  const { name, whatsapp_id, is_active, bookable, hours } = row;
  return isDeepStrictEqual(changed, { name, whatsapp_id, is_active, bookable, hours }) ? null : changed;
}

export function toSeller({ id, name, whatsapp_id, is_active, bookable, hours }: SellerRow): Seller {
  return { id, name, whatsapp_id, is_active, bookable, hours };
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
