import type { createSeller, RequestOf, Seller } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/errors';

/** A seller as its row has it. `version` moves with what the API's users change. */
export type SellerRow = Seller & { store_id: string; version: number; created_at: Date; updated_at: Date };

export type NewSeller = Pick<SellerRow, 'name' | 'whatsapp_id' | 'is_active'>;

export function newSeller(body: RequestOf<typeof createSeller>['body']): NewSeller {
  return { name: body.name, whatsapp_id: body.whatsapp_id, is_active: body.is_active ?? true };
}

export function toSeller({ id, name, whatsapp_id, is_active }: SellerRow): Seller {
  return { id, name, whatsapp_id, is_active };
}

/** A lead may be given to any active seller of its store. */
export function assertAssignable(seller: Pick<SellerRow, 'is_active'> | null): void {
  if (!seller) throw new AppError('seller_not_found');
  if (!seller.is_active) throw new AppError('seller_inactive');
}
