import type { markConversationRead as operation } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { limitingSeller } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findConversation, lockConversation } from '../conversations/conversation.repository.ts';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { findMessage } from '../messages/message.repository.ts';
import { followLeads } from './catch-up.ts';
import { conversationRead } from './conversation-read.ts';
import { saveRead } from './inbox.repository.ts';

export const markConversationRead =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { database, relay } = dependencies;
    const place = { leadId: params.leadId.toLowerCase(), messageId: body.message_id };
    await requireVisible(dependencies, context, place.leadId);
    const unread_count = await database.write(context, (sql) => readUpTo(sql, context.storeId, place));
    relay.nudge();
    return { unread_count };
  };

/** Throws `lead_not_found`, also for a caller who is limited to another seller's leads, and `message_not_found`. */
async function requireVisible(dependencies: Dependencies, context: StoreContext, leadId: string): Promise<void> {
  const { database } = dependencies;
  const { storeId } = context;
  const limit = limitingSeller(context);
  const find = () => database.read(context, (sql) => findConversation(sql, storeId, leadId));
  let conversation = await find();
  if (!conversation) {
    await requireLead(dependencies, context, leadId);
    throw new AppError('message_not_found');
  }
  if (limit === undefined) return;
  if (conversation.lead_version === null) {
    await followLeads(dependencies, context, [leadId]);
    conversation = await find();
  }
  const isKnown = conversation !== undefined && conversation.lead_version !== null;
  const sellerId = conversation?.seller_id ?? null;
  if (!isKnown || (sellerId !== null && sellerId !== limit)) throw new AppError('lead_not_found');
}

/** Reads all up to a message, and writes the event if that is new. Returns how many messages are left. */
async function readUpTo(
  sql: TransactionSql,
  storeId: string,
  { leadId, messageId }: { readonly leadId: string; readonly messageId: string },
): Promise<number> {
  // Pipelined: PostgreSQL runs them in this order, so the lock is held when the message is read.
  const [conversation, message] = await Promise.all([
    lockConversation(sql, storeId, leadId),
    findMessage(sql, storeId, messageId),
  ]);
  if (!conversation || message?.lead_id !== leadId) throw new AppError('message_not_found');
  const { read_number, unread_count } = conversation;
  if (message.number <= read_number) return unread_count;
  const left = await saveRead(sql, storeId, leadId, message.number);
  if (left < unread_count) await appendOutbox(sql, storeId, conversationRead(leadId));
  return left;
}
