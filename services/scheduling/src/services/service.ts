import { isDeepStrictEqual } from 'node:util';
import {
  type createService,
  findBookedSellers,
  type RequestOf,
  type Service,
  type updateService,
} from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';

/** A row of `services`. */
export type ServiceRow = Service & {
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
};

/** The members that a request sets. */
export type ServiceContent = Omit<Service, 'id'>;

export function newService(body: RequestOf<typeof createService>['body']): ServiceContent {
  return {
    name: body.name,
    duration_minutes: body.duration_minutes,
    buffer_before_minutes: body.buffer_before_minutes ?? null,
    buffer_after_minutes: body.buffer_after_minutes ?? null,
    seller_ids: (body.seller_ids ?? []).map((id) => id.toLowerCase()),
    price_text: body.price_text ?? null,
    is_active: body.is_active ?? true,
  };
}

/** The values after the change, or null if nothing changes. */
export function changeService(row: ServiceRow, patch: RequestOf<typeof updateService>['body']): ServiceContent | null {
  const { id: _id, ...current } = toService(row);
  const { seller_ids = row.seller_ids, ...others } = patch;
  const changed = { ...current, ...others, seller_ids: seller_ids.map((id) => id.toLowerCase()) };
  return isDeepStrictEqual(changed, current) ? null : changed;
}

/** The row as the API shows it. */
export function toService(row: ServiceRow): Service {
  const { id, name, duration_minutes, buffer_before_minutes, buffer_after_minutes, seller_ids, price_text, is_active } =
    row;
  return { id, name, duration_minutes, buffer_before_minutes, buffer_after_minutes, seller_ids, price_text, is_active };
}

/** @throws AppError `seller_not_found` when the store lacks one of the sellers */
export async function requireSellers(
  { rpc }: Pick<Dependencies, 'rpc'>,
  context: StoreContext,
  sellerIds: readonly string[] = [],
): Promise<void> {
  if (sellerIds.length === 0) return;
  const { sellers } = await rpc.call(findBookedSellers, { body: { seller_ids: [...sellerIds] } }, context);
  if (sellers.length < sellerIds.length) throw new AppError('seller_not_found');
}
