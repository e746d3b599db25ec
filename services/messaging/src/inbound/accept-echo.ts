import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { InboundMessage } from '../channels/channel-provider.ts';
import { ensureConversation, saveHolder } from '../conversations/conversation.repository.ts';
import { mayReplyTo } from '../conversations/may-reply-to.ts';
import { adoptProviderId, applyStatusUpdates, saveStatusUpdates } from '../delivery/apply-status-updates.ts';
import { saveWaId } from '../delivery/attempt.repository.ts';
import { overtakeQueuedAi } from '../delivery/cancel-queued-ai.ts';
import { findStatusUpdates, lockProviderMessage } from '../delivery/status-update.repository.ts';
import { conversationRead } from '../inbox/conversation-read.ts';
import { toInboundBody } from '../messages/inbound-body.ts';
import { linkQuotesOf } from '../messages/link-quotes.ts';
import { insertMessage, isKnownInbound, listInFlight, takeNumber } from '../messages/message.repository.ts';
import { listChanges } from '../messages/message-change.repository.ts';
import { withChanges } from '../messages/message-change.ts';
import { storedIdOf } from '../messages/stored-id.repository.ts';
import { beginSession } from '../sessions/session.repository.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { agentOfChannel, isEchoOf, pauseOf, isCurrent as saysWhoAnswers, telephone } from './pause-of.ts';
import { type FoundLead, requireSameCustomer } from './same-customer.ts';

/**
 * Accepts what a person of the store wrote to a lead on the store's own telephone. It is a message of a seller that is
 * sent already: it pauses the AI and cancels what the AI has queued. It also answers the lead, unless the lead has written
 * since. On standby an agent of the channel wrote it: it is a message of the AI, and does all of that unless the lead has
 * written since. One from before it passed the conversation to the store answers nothing. The reply window and follow-ups
 * stay as they are, because the lead said nothing. Returns the lead's number of interactions; null when the message is
 * known.
 *
 * @throws AppError `service_unavailable` while another message to the lead is being sent, because this may be its echo
 */
export async function acceptEcho(
  sql: TransactionSql,
  storeId: string,
  lead: FoundLead,
  channelId: string,
  message: InboundMessage,
): Promise<number | null> {
  const { id: leadId, confirmed } = lead;
  const { providerMessageId, waId, writtenAt } = message;
  const ofChannel = { channelId, providerMessageId };
  await lockProviderMessage(sql, storeId, channelId, providerMessageId);
  const conversation = await ensureConversation(sql, storeId, leadId, confirmed);
  if (await isKnownInbound(sql, storeId, ofChannel)) return null;
  requireSameCustomer(conversation, lead, message);

  const inFlight = await listInFlight(sql, storeId, { leadId, channelId });
  if (inFlight.some(({ status }) => status === 'sending')) {
    throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
  }
  // The answer to its send was lost. The echo says what became of it.
  const ours = inFlight.find((sent) => isEchoOf(message, sent));
  if (ours) {
    const known = await adoptProviderId(sql, storeId, ours, ofChannel);
    await applyStatusUpdates(sql, storeId, known, [{ status: 'sent', at: writtenAt }]);
    return null;
  }

  const [settings, changes, reports] = await Promise.all([
    findSettings(sql, storeId),
    listChanges(sql, storeId, ofChannel),
    findStatusUpdates(sql, storeId, channelId, providerMessageId),
  ]);
  const now = new Date();
  const isCurrent = saysWhoAnswers(message, { conversation, now });
  const pausesAi = pauseOf(message, { conversation, minutes: settings.ai_pause_minutes, now });
  const { handover_at: handover, handover_owner: owner } = conversation;
  const isHandedOver = message.isOnStandby === true && owner === 'store' && handover !== null && writtenAt <= handover;
  const answers = isCurrent && !isHandedOver;
  const source = message.isOnStandby ? 'ai' : 'seller';
  const author = message.isOnStandby ? agentOfChannel : telephone;
  const { number, at, sessionId, delivering } = await takeNumber(sql, storeId, leadId, source, {
    answers,
    settles: isCurrent,
    pausesAi,
  });
  const { isOnStandby = false } = message;
  if (isOnStandby || conversation.standby_at !== null || handover !== null)
    await saveHolder(sql, storeId, leadId, { isOnStandby, at: writtenAt });
  const session = sessionId
    ? { sessionId, events: [] }
    : await beginSession(sql, storeId, leadId, { at, direction: 'outbound' });
  const original = { source, reactions: [], edited_at: null, revoked_at: null } as const;
  const { body, ...changed } = withChanges({ ...original, ...toInboundBody(message.body) }, changes);
  const row = await insertMessage(sql, storeId, {
    id: message.id,
    lead_id: leadId,
    session_id: session.sessionId,
    number,
    created_at: at,
    direction: 'outbound',
    source,
    author,
    kind: message.kind,
    body,
    changed,
    channel_id: channelId,
    provider_message_id: providerMessageId,
    ...(changed.revoked_at === null && { content: message.content, media: message.media }),
    ...(message.quotedId && { quotedId: await storedIdOf(sql, storeId, { leadId, channelId }, message.quotedId) }),
    answers,
  });
  // Afterwards, as for a message of the API.
  const stopsAi = isCurrent || pausesAi !== undefined;
  const overtaken = stopsAi && delivering ? await overtakeQueuedAi(sql, storeId, { leadId, before: number }) : [];
  const told = [{ status: 'sent', at: writtenAt } as const, ...reports];
  const quotes = await linkQuotesOf(sql, storeId, { leadId, channelId }, [providerMessageId]);
  const { entries } = await saveStatusUpdates(sql, storeId, row, told);
  if (waId !== null && conversation.wa_id === null && mayReplyTo(conversation, waId))
    await saveWaId(sql, storeId, leadId, waId);
  await appendOutbox(sql, storeId, [
    ...session.events,
    ...entries,
    ...quotes,
    ...overtaken,
    ...(isCurrent && source === 'seller' && conversation.unread_count > 0 ? conversationRead(leadId) : []),
  ]);
  return conversation.interaction_count + 1;
}
