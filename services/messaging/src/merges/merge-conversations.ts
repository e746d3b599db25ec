import type { mergeConversations as operation } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import {
  type ConversationRow,
  conversationExists,
  ensureConversation,
  lockConversation,
} from '../conversations/conversation.repository.ts';
import { joinWishes, optOutEvents, toOptOut } from '../conversations/opt-out-state.ts';
import { wakeDelivery } from '../delivery/wake-overdue.ts';
import type { Dependencies } from '../dependencies.ts';
import { countAgain } from '../inbox/catch-up.repository.ts';
import { linkQuotesOfLead } from '../messages/link-quotes.ts';
import { isDelivering } from '../messages/message.repository.ts';
import { closeSession } from '../sessions/session.repository.ts';
import {
  isSending,
  joinConversations,
  listActiveSessions,
  type Merged,
  moveMessages,
  moveSessions,
  moveUserIds,
} from './merge.repository.ts';

export const mergeConversations =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const leads = { goneId: body.lead_id.toLowerCase(), keptId: body.merged_into.toLowerCase() };
    const messages = await database.write(context, (sql) => moveConversation(sql, context.storeId, leads));
    relay.nudge();
    return { messages };
  };

/** Moves the conversation, in a transaction. Returns how many messages it moved. */
export async function moveConversation(sql: TransactionSql, storeId: string, leads: Merged): Promise<number> {
  const { keptId } = leads;
  const locked = await lockBoth(sql, storeId, leads);
  if (!locked) return 0;
  if (await isSending(sql, storeId, leads)) throw new AppError('lead_busy', { retryAfterSeconds: 1 });

  const [, ...older] = await listActiveSessions(sql, storeId, leads);
  for (const { id, lead_id } of older) await closeSession(sql, storeId, lead_id, id);
  await moveSessions(sql, storeId, leads);
  const { moved, total, readNumber } = await moveMessages(sql, storeId, leads);
  await moveUserIds(sql, storeId, leads);
  const wishes = joinWishes(locked.kept, locked.gone);
  const joined = await joinConversations(sql, storeId, leads, { nextNumber: total + 1, readNumber, wishes });
  await countAgain(sql, storeId, [keptId]);
  await appendOutbox(sql, storeId, [
    ...(await linkQuotesOfLead(sql, storeId, keptId)),
    ...optOutEvents(keptId, toOptOut(locked.kept), toOptOut(joined)),
    ...((await isDelivering(sql, storeId, keptId)) ? [wakeDelivery(storeId, 'message_accepted')] : []),
  ]);
  return moved;
}

/** Locks both conversations in the order of their ids. Undefined when there is none to move. */
async function lockBoth(
  sql: TransactionSql,
  storeId: string,
  { goneId, keptId }: Merged,
): Promise<{ gone: ConversationRow; kept: ConversationRow } | undefined> {
  if (!(await conversationExists(sql, storeId, goneId))) return undefined;
  const lockGone = () => lockConversation(sql, storeId, goneId);
  const goneFirst = goneId < keptId ? await lockGone() : undefined;
  const kept = await ensureConversation(sql, storeId, keptId);
  const gone = goneFirst ?? (await lockGone());
  return gone && { gone, kept };
}
