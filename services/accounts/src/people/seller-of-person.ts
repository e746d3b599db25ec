import { checkSeller, type UserRole } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { Context } from '@mostrador/kit/rpc/context';
import { validationFailed } from '@mostrador/kit/rpc/errors';

/** Throws `validation_failed` when a person of the role `seller` is no seller. */
export function assertSellerOfRole(role: UserRole, sellerId: string | null): void {
  if (role === 'seller' && sellerId === null) {
    throw validationFailed([{ pointer: '#/seller_id', detail: 'is needed for the role `seller`' }]);
  }
}

/** Throws `seller_not_found` or `seller_inactive` unless the store has this seller. Null and undefined: no seller. */
export async function assertActiveSeller(
  rpc: RpcClient,
  context: Context,
  storeId: string,
  sellerId: string | null | undefined,
): Promise<void> {
  if (sellerId === null || sellerId === undefined) return;
  const body = { seller_id: sellerId };
  await rpc.call(checkSeller, { body }, { ...context, storeId });
}
