import type { StoreScope } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { InboundEffect } from '../channels/channel-provider.ts';
import { ensureConversation, findOtherCustomer, saveCall } from '../conversations/conversation.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { findLeadOfIds } from '../identities/identity-change.repository.ts';
import { isLate } from './came-at.ts';
import { findLeadOfCustomer } from './find-lead-of-customer.ts';
import { mayReplyTo } from './same-customer.ts';

/**
 * Opens the reply window for a customer who called. Repeats and any order are safe. A customer who is no lead changes nothing,
 * nor does a call that is told a day late, nor one from a number that another customer has now.
 *
 * @throws AppError `service_unavailable` the lead has just got another phone. A retry finds the lead of the customer
 */
export async function takeCall(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreScope & CallContext,
  channelId: string,
  { customer, at }: Extract<InboundEffect, { kind: 'call' }>,
): Promise<void> {
  if (isLate(new Date(), at)) return;
  const { storeId } = context;
  const found = await findLeadOfCustomer({ database, rpc }, context, customer, at);
  if (!found) return;
  const { leadId, confirmed, ids } = found;
  const { waId, userId } = ids;
  await database.write(context, async (sql) => {
    const conversation = await ensureConversation(sql, storeId, leadId, confirmed);
    const isSame = confirmed
      ? waId === null || mayReplyTo(conversation, waId)
      : (await findLeadOfIds(sql, storeId, ids, at)) === leadId;
    if (!isSame) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
    if (userId !== null && (await findOtherCustomer(sql, storeId, channelId, { leadId, userId }))) return;
    await saveCall(sql, storeId, leadId, at);
  });
}
