import { findLeadByPhone } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { hasWritten } from '../channels/sandbox/sandbox.repository.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * A telephone that writes only as its own customers creates their leads. A lead that came another way may be a real
 * customer. Throws `sandbox_phone_taken`.
 */
export async function assertOwnCustomer(
  { database, rpc, telephone: { writesAs } }: Dependencies,
  context: StoreContext,
  { channelId, phone }: { channelId: string; phone: string },
): Promise<void> {
  // No lead of another origin has an id of the sandbox.
  if (writesAs === 'any' || phone.startsWith('@')) return;
  if (await database.read(context, (sql) => hasWritten(sql, context.storeId, { channelId, phone }))) return;
  const { id } = await rpc.call(findLeadByPhone, { body: { customer_phone: phone } }, context);
  if (id !== null) throw new AppError('sandbox_phone_taken');
}
