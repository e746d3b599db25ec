import { replanFollowups } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';

/** Follow-ups wait for windows in the zone of the store. Runs for every given zone, even an unchanged one: a retry replans. */
export async function replanAfterZone(rpc: RpcClient, context: CallContext & { storeId: string }): Promise<void> {
  await rpc.call(replanFollowups, {}, context).catch((cause) => {
    const detail = 'The store was changed, but some follow-ups were not replanned. Send the same change again.';
    throw new AppError('upstream_timeout', { detail, cause });
  });
}
