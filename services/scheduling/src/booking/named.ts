import { findBookedSellers } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, firstRefusal } from '@mostrador/kit/rpc/errors';
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

/** Whether a request chooses the seller, the service, and that this seller gives this service. */
type IsNew = { readonly seller: boolean; readonly service: boolean; readonly pair: boolean };

/** What neither the appointment nor the hold of a request has: it may have become inactive or been deleted since. */
export function isNewTo({ seller_id, service_id }: Names, ...had: readonly (Names | null)[]): IsNew {
  const isSeller = (each: Names | null) => each?.seller_id === (seller_id?.toLowerCase() ?? null);
  const isService = (each: Names | null) => each?.service_id === (service_id?.toLowerCase() ?? null);
  return {
    seller: !had.some(isSeller),
    service: !had.some(isService),
    pair: !had.some((each) => isSeller(each) && isService(each)),
  };
}

/**
 * The service, and the sellers whose places it may be.
 *
 * @throws AppError `service_not_found`, `service_inactive`, `seller_not_found`, `seller_inactive`, `seller_not_bookable`
 */
export async function readNamed(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  { seller_id, service_id }: Names,
  isNew: IsNew = isNewTo({ seller_id, service_id }),
): Promise<Named> {
  if (!seller_id && !service_id) return nothing;
  const [service] = service_id
    ? await database.lookUp(context, (sql) => findService(sql, context.storeId, service_id))
    : [];
  if (service_id && isNew.service && !service) throw new AppError('service_not_found');
  const isNamed = seller_id !== null;
  const ids = seller_id ? [seller_id.toLowerCase()] : (service?.seller_ids ?? []);
  const found = ids.length > 0 ? await rpc.call(findBookedSellers, { body: { seller_ids: ids } }, context) : undefined;
  // In the order in which the service names them.
  const sellers = ids.flatMap((id) => found?.sellers.find((seller) => seller.id === id) ?? []);
  if (isNamed && !isNew.seller && sellers.length === 0) {
    // The seller was deleted. Until the appointment gets another one, it keeps their place, in the hours of the store.
    sellers.push({ id: ids[0] as string, is_active: false, bookable: true, hours: null });
  }
  // What is not there comes before the state of what is.
  if (isNamed && isNew.seller && !sellers[0]) throw new AppError('seller_not_found');
  if (isNew.service && service?.is_active === false) throw new AppError('service_inactive');
  if (isNamed && isNew.seller && sellers[0]?.is_active === false) throw new AppError('seller_inactive');
  if (isNamed && isNew.pair && service && service.seller_ids.length > 0) {
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

/** What a request names, or why it cannot. Its transaction refuses it. */
type Deferred = Named & { readonly refusal: AppError | null };

/** `readNamed`, whose refusal comes with the result. Other errors are thrown. */
export async function deferRefusal(read: Promise<Named>): Promise<Deferred> {
  const { found, refusal } = await deferred(read, isRefusal);
  return { ...(found ?? nothing), refusal };
}

/**
 * What a request names, with the lead. Every error comes with the result, because a repeated request gets its first answer
 * also when the lead or the service is not there any more, or crm is away. Without a key no answer is kept, and an error that
 * is no refusal is thrown.
 */
export async function deferErrors(
  { idempotency }: Pick<StoreContext, 'idempotency'>,
  reading: { readonly named: Promise<Named>; readonly lead: Promise<unknown> },
): Promise<Deferred> {
  const waits = idempotency ? leavesTime : isRefusal;
  const [lead, named] = await Promise.all([deferred(reading.lead, waits), deferred(reading.named, waits)]);
  return {
    ...(named.found ?? nothing),
    refusal: firstRefusal([lead.refusal, named.refusal]),
  };
}

const isRefusal = (error: unknown): boolean => error instanceof AppError && error.status < 500;

/** Not that crm gave no answer until the deadline: then the transaction has no time. */
const leavesTime = (error: unknown): boolean => error instanceof AppError && error.status !== 504;

async function deferred<T>(reading: Promise<T>, waits: (error: unknown) => boolean) {
  try {
    return { found: await reading, refusal: null };
  } catch (error) {
    if (!waits(error)) throw error;
    return { found: undefined, refusal: error as AppError };
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

/** Why a request cannot use the hold that it names. Null: it names none, or the hold is there. */
export const holdRefusal = (id: string | undefined, hold: BookingRow | null): AppError | null =>
  id && !hold ? new AppError('hold_not_found') : null;
