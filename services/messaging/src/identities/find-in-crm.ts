import { findLeadByPhone } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import type { CustomerIds } from '../channels/channel-provider.ts';
import { asPhone } from './as-phone.ts';

/** The lead of a customer whom this service does not know yet. Null: the store has none. */
export async function findInCrm(
  rpc: RpcClient,
  context: CallContext,
  { waId, userId }: CustomerIds,
): Promise<string | null> {
  const customer_phone = asPhone(waId);
  if (customer_phone !== null) return (await rpc.call(findLeadByPhone, { body: { customer_phone } }, context)).id;
  if (userId === null) return null;
  return (await rpc.call(findLeadByPhone, { body: { channel_user_id: userId } }, context)).id;
}
