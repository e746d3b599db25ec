import { getLeadContact, type ReplyOf } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';

/**
 * The contact of a lead in crm. Of a merged lead it is the contact of the lead that stays, because what was planned or
 * queued for the merged one must not fail.
 */
export async function findContact(
  rpc: RpcClient,
  context: CallContext,
  leadId: string,
): Promise<ReplyOf<typeof getLeadContact>> {
  try {
    return await rpc.call(getLeadContact, { body: { lead_id: leadId } }, context);
  } catch (error) {
    const keptId = error instanceof AppError && error.code === 'lead_not_found' && error.members?.merged_into;
    if (typeof keptId !== 'string') throw error;
    return await rpc.call(getLeadContact, { body: { lead_id: keptId } }, context);
  }
}
