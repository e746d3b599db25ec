import { isDeepStrictEqual } from 'node:util';
import {
  type createService,
  detailOfMissingSeller,
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

/** Each once, however it is written. */
const idsOf = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

export function newService(body: RequestOf<typeof createService>['body']): ServiceContent {
  return {
    name: body.name,
    duration_minutes: body.duration_minutes,
    buffer_before_minutes: body.buffer_before_minutes ?? null,
    buffer_after_minutes: body.buffer_after_minutes ?? null,
    seller_ids: idsOf(body.seller_ids ?? []),
    price_text: body.price_text ?? null,
    is_active: body.is_active ?? true,
  };
}

/** The values after the change, or null if nothing changes. */
export function changeService(row: ServiceRow, patch: RequestOf<typeof updateService>['body']): ServiceContent | null {
  const { id: _id, ...current } = toService(row);
  const { seller_ids = row.seller_ids, ...others } = patch;
  const changed = { ...current, ...others, seller_ids: idsOf(seller_ids) };
  return isDeepStrictEqual(changed, current) ? null : changed;
}

/** Whether its appointments take another time. */
export const hasOtherBuffers = (before: ServiceContent, after: ServiceContent): boolean =>
  before.buffer_before_minutes !== after.buffer_before_minutes ||
  before.buffer_after_minutes !== after.buffer_after_minutes;

/** The row as the API shows it. */
export function toService(row: ServiceRow): Service {
  const { id, name, duration_minutes, buffer_before_minutes, buffer_after_minutes, seller_ids, price_text, is_active } =
    row;
  return { id, name, duration_minutes, buffer_before_minutes, buffer_after_minutes, seller_ids, price_text, is_active };
}

/**
 * Refuses sellers whom the store does not have. Sellers who are not bookable or not active are no fault: they are not booked
 * until they are both.
 *
 * @throws AppError `seller_not_found`, whose detail names the first of them
 */
export async function requireSellers(
  { rpc }: Pick<Dependencies, 'rpc'>,
  context: StoreContext,
  sellerIds: readonly string[],
): Promise<void> {
  if (sellerIds.length === 0) return;
  const { sellers } = await rpc.call(findBookedSellers, { body: { seller_ids: [...sellerIds] } }, context);
  const detail = detailOfMissingSeller(sellerIds, sellers);
  if (detail) throw new AppError('seller_not_found', { detail });
}
