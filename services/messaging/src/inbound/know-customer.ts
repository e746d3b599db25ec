import type { StoreScope } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { CustomerIds } from '../channels/channel-provider.ts';
import { learnIds, lockConversation } from '../conversations/conversation.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { findSender } from './accept-inbound.ts';

/**
 * Applies what the channel tells of who a customer is, by both ids: their leads become one, a number that is another
 * person's now is taken from the lead who had it, and a lead who is known by the number alone gets the user id. It creates
 * no lead.
 */
export async function knowCustomer(
  tools: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  channelId: string,
  { waId, userId }: CustomerIds,
  writtenAt: Date,
): Promise<void> {
  if (waId === null || userId === null) return;
  const { message, byWaId, byUserId } = await findSender(tools, context, channelId, { waId, userId, writtenAt });
  if (byWaId === null || byUserId !== null || message.waId !== waId) return;
  const { storeId } = context;
  await tools.database.write(context, async (sql) => {
    if (await lockConversation(sql, storeId, byWaId)) await learnIds(sql, storeId, byWaId, { waId, userId, channelId });
  });
}
