import type { StoreScope } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { ensureConversation, findOtherCustomer, learnIds } from '../conversations/conversation.repository.ts';
import { mayReplyTo } from '../conversations/may-reply-to.ts';
import type { Dependencies } from '../dependencies.ts';
import { findLeadOfIds } from '../identities/identity-change.repository.ts';
import { applyToConversation } from './apply-to-conversation.ts';
import { findLeadOfCustomer } from './find-lead-of-customer.ts';
import { keepEffect } from './kept-effect.repository.ts';
import { type ConversationEffect, toKept } from './kept-effect.ts';
import { takeKept } from './take-kept.ts';

/**
 * Changes the conversation of the customer whom a webhook names. For a customer who is no lead the effect waits until they
 * are one. So it does when the channel knows another customer by the number.
 *
 * @throws AppError `service_unavailable` the lead has just got another phone. A retry finds the lead of the customer
 */
export async function changeConversation(
  tools: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  channelId: string,
  effect: ConversationEffect,
): Promise<void> {
  const { database } = tools;
  const { storeId } = context;
  const { customer, at } = effect;
  const found = await findLeadOfCustomer(tools, context, customer, at);
  if (!found.leadId) return await keep(tools, context, channelId, { ...effect, customer: found.ids });
  const { leadId, confirmed, ids } = found;
  const { waId, userId } = ids;
  await database.write(context, async (sql) => {
    const conversation = await ensureConversation(sql, storeId, leadId, confirmed);
    const isSame = confirmed
      ? waId === null || mayReplyTo(conversation, waId)
      : (await findLeadOfIds(sql, storeId, ids, at)) === leadId;
    if (!isSame) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
    const other = userId !== null && (await findOtherCustomer(sql, storeId, channelId, { leadId, userId }));
    if (!other) {
      if (waId !== null && userId !== null) await learnIds(sql, storeId, leadId, { waId, userId, channelId });
      return await applyToConversation(sql, storeId, conversation, effect);
    }
    // The number is still that of the lead.
    const row = toKept({ ...effect, customer: { waId: null, userId } }, channelId);
    if (row) await keepEffect(sql, storeId, row);
  });
  tools.relay.nudge();
}

/** Keeps an effect for the lead that its customer may become. */
async function keep(
  tools: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  channelId: string,
  effect: ConversationEffect,
): Promise<void> {
  const row = toKept(effect, channelId);
  if (!row || row.kept_until <= new Date()) return;
  await tools.database.write(context, (sql) => keepEffect(sql, context.storeId, row));
  // A lead that was created meanwhile has looked before it was kept.
  const { leadId, ids } = await findLeadOfCustomer(tools, context, effect.customer, effect.at);
  if (leadId) await takeKept(tools, context, [{ leadId, ids }]);
}
