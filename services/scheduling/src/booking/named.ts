import { findBookedSellers } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import { findService } from '../services/service.repository.ts';
import type { ServiceRow } from '../services/service.ts';
import { type BookingRow, findHold } from './booking.repository.ts';
import type { Choice } from './take-places.ts';

/** The ids that a request names. Null: none. */
type Names = {
  readonly seller_id: string | null;
  readonly service_id: string | null;
};

/** What a request names, as it is now. */
export type Named = Names & { readonly service: ServiceRow | null; readonly choice: Choice };

const nothing: Named = { seller_id: null, service_id: null, service: null, choice: { sellers: [], isNamed: false } };

/**
 * The service, and the sellers whose places it may be.
 *
 * @param isNew whether the request chooses the service and the seller. If not, the appointment has them, and they may have
 * become inactive or been deleted since
 * @throws AppError `service_not_found`, `service_inactive`, `seller_not_found`, `seller_inactive`, `seller_not_bookable`
 */
export async function readNamed(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  { seller_id, service_id }: Names,
  isNew: { readonly seller: boolean; readonly service: boolean } = { seller: true, service: true },
): Promise<Named> {
  if (!seller_id && !service_id) return nothing;
  const [service] = service_id
    ? await database.lookUp(context, (sql) => findService(sql, context.storeId, service_id))
    : [];
  if (service_id && isNew.service) {
    if (!service) throw new AppError('service_not_found');
    if (!service.is_active) throw new AppError('service_inactive');
  }
  const isNamed = seller_id !== null;
  const ids = seller_id ? [seller_id.toLowerCase()] : (service?.seller_ids ?? []);
  const found = ids.length > 0 ? await rpc.call(findBookedSellers, { body: { seller_ids: ids } }, context) : undefined;
  // In the order in which the service names them.
  const sellers = ids.flatMap((id) => found?.sellers.find((seller) => seller.id === id) ?? []);
  if (isNamed && isNew.seller) {
    const [seller] = sellers;
    if (!seller) throw new AppError('seller_not_found');
    if (!seller.is_active) throw new AppError('seller_inactive');
  } else if (isNamed && sellers.length === 0) {
    // The seller was deleted. Until the appointment gets another one, it keeps their place, in the hours of the store.
    sellers.push({ id: ids[0] as string, is_active: false, bookable: true, hours: null });
  }
  if (isNamed && (isNew.seller || isNew.service) && service && service.seller_ids.length > 0) {
    if (!service.seller_ids.includes(ids[0] as string)) throw new AppError('seller_not_bookable');
  }
  // A service whose sellers were all deleted can be booked with none.
  if (!isNamed && ids.length > 0 && sellers.length === 0) throw new AppError('seller_not_bookable');
  return {
    seller_id: isNamed ? (ids[0] as string) : null,
    service_id,
    service: service ?? null,
    choice: { sellers, isNamed },
  };
}

/**
 * What a request names, or why it cannot: what is not there. The transaction refuses it, because a repeated request whose
 * service was deleted since gets its first answer.
 */
export async function deferRefusal(read: () => Promise<Named>): Promise<Named & { readonly refusal: AppError | null }> {
  try {
    return { ...(await read()), refusal: null };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return { ...nothing, refusal: error };
    throw error;
  }
}

/** The hold of a request, as its defaults. Null: it has expired or never was, which the transaction refuses. */
export async function readHold(
  { database }: Pick<Dependencies, 'database'>,
  context: StoreContext,
  id: string | undefined,
): Promise<BookingRow | null> {
  if (!id) return null;
  const [hold] = await database.lookUp(context, (sql) => findHold(sql, context.storeId, id));
  return hold ?? null;
}
