import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { CustomerIds } from '../channels/channel-provider.ts';
import {
  type ConversationRow,
  ensureConversation,
  findOtherCustomer,
} from '../conversations/conversation.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { findLeadOfIds } from '../identities/identity-change.repository.ts';
import { findLeadOfCustomer } from './find-lead-of-customer.ts';
import { mayReplyTo } from './same-customer.ts';

/**
 * Changes the conversation of the customer whom a webhook names, and holds the lock of the conversation meanwhile. Nothing
 * changes for a customer who is no lead, nor when the channel knows another customer by the number.
 *
 * @param told the customer, and when it was, by the channel's clock
 * @throws AppError `service_unavailable` the lead has just got another phone. A retry finds the lead of the customer
 */
export async function changeConversation(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreScope & CallContext,
  channelId: string,
  told: { readonly customer: CustomerIds; readonly at: Date },
  change: (sql: TransactionSql, leadId: string, conversation: ConversationRow) => Promise<void>,
): Promise<void> {
  const { storeId } = context;
  const { customer, at } = told;
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
    await change(sql, leadId, conversation);
  });
}
