import { ensureLead } from '@mostrador/contracts';
import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, type OutboxEntry } from '@mostrador/kit/delivery/outbox';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { InboundMessage } from '../channels/channel-provider.ts';
import { isFrom } from '../conversations/change-contact-phone.ts';
import {
  ensureConversation,
  findLeadsByIdentity,
  lockConversation,
  saveUserId,
  takeInbound,
} from '../conversations/conversation.repository.ts';
import { optOutEvents, readOptOut } from '../conversations/opt-out.ts';
import type { Dependencies } from '../dependencies.ts';
import { insertMessage, isKnownInbound } from '../messages/message.repository.ts';
import { messageEvents } from '../messages/message-events.ts';
import { touchSession } from '../sessions/session.repository.ts';
import { reopenFailed } from './inbound.repository.ts';

/** No id of an unknown customer is a phone number, so no lead can be created. */
export class NoPhone extends Error {}

/** The code of a payload with a message that threw `NoPhone`. */
export const noPhone = 'no_phone';

const phone = /^[1-9][0-9]{7,14}$/;
/** A message that was written longer ago than this counts as written then, not on arrival. */
const currentMs = 24 * 3_600_000;

/**
 * Accepts an inbound message. A customer without a lead gets one. A duplicate changes nothing. Returns the lead and its
 * number of interactions; null for a duplicate.
 *
 * @throws AppError `service_unavailable` or `upstream_timeout` when crm is needed and does not answer, or when the lead
 *   has just been merged into another one or got another phone: retry later
 * @throws NoPhone
 */
export async function acceptInbound(
  { database, rpc, relay }: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  channelId: string,
  message: InboundMessage,
): Promise<{ lead_id: string; interaction_count: number } | null> {
  const { storeId } = context;
  const { byWaId, byUserId } = await database.read(context, (sql) => findLeadsByIdentity(sql, storeId, message));
  // Outside of the transaction, so that no lock is held during a call to another service.
  const known = byWaId ?? byUserId;
  const leadId = known ?? (await ensure({ rpc }, { ...context, storeId }, message));
  const newUserId = byUserId === leadId ? null : message.userId;
  const interaction_count = await database.write(context, async (sql) => {
    const lead = { id: leadId, confirmed: known === null, byWaId: byWaId !== null };
    const count = await accept(sql, storeId, lead, channelId, message);
    if (count !== null && newUserId !== null) {
      await saveUserId(sql, storeId, leadId, newUserId);
      await reopenFailed(sql, storeId, { customer: newUserId, code: noPhone });
    }
    return count;
  });
  if (interaction_count === null) return null;
  relay.nudge();
  return { lead_id: leadId, interaction_count };
}

async function ensure(
  { rpc }: Pick<Dependencies, 'rpc'>,
  context: CallContext,
  { waId, name }: InboundMessage,
): Promise<string> {
  if (waId === null || !phone.test(waId)) throw new NoPhone('an unknown customer has no phone number');
  const lead = await rpc.call(ensureLead, { body: { customer_phone: waId, name: name ?? waId } }, context);
  return lead.id;
}

async function accept(
  sql: TransactionSql,
  storeId: string,
  { id: leadId, confirmed, byWaId }: { readonly id: string; readonly confirmed: boolean; readonly byWaId: boolean },
  channelId: string,
  { providerMessageId, waId, kind, body, writtenAt }: InboundMessage,
): Promise<number | null> {
  const isKnown = () => isKnownInbound(sql, storeId, { channelId, providerMessageId });
  // Pipelined: PostgreSQL runs them in this order, so the lookup happens while the lock is held.
  const [locked, known] = await Promise.all([lockConversation(sql, storeId, leadId), isKnown()]);
  const conversation = locked ?? (await ensureConversation(sql, storeId, leadId, confirmed));
  if (locked ? known : await isKnown()) return null;
  // The lead has just got another phone, and this customer is no longer the lead.
  if (byWaId && conversation.wa_id !== waId) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
  // Messages go to the phone that the store gave the lead.
  const replyTo = conversation.phone === null || isFrom(waId, conversation.phone) ? waId : null;
  const wish = readOptOut(body);
  const late = isLate(new Date(), writtenAt) ? writtenAt : null;
  const { id, number, at, interactionCount } = await takeInbound(sql, storeId, leadId, {
    waId: replyTo,
    writtenAt: late,
    wish,
  });
  const session = await touchSession(sql, storeId, leadId, { at, direction: 'inbound' });
  const row = await insertMessage(sql, storeId, {
    id,
    lead_id: leadId,
    session_id: session.sessionId,
    number,
    created_at: at,
    direction: 'inbound',
    source: 'lead',
    kind,
    body,
    channel_id: channelId,
    provider_message_id: providerMessageId,
  });
  await appendOutbox(sql, storeId, [
    ...session.events,
    ...messageEvents.received(row, toTimestamp(at)),
    ...eventsOf(leadId, wish, conversation.opted_out_at),
  ]);
  return interactionCount;
}

/**
 * The time that a message counts as written when it arrives at `at`. A message that was delayed by 24 hours or more
 * counts as written at `writtenAt`, so it does not open the reply window: the provider counts from then, too.
 */
export const cameAt = (at: Date, writtenAt: Date): Date => (isLate(at, writtenAt) ? writtenAt : at);

const isLate = (at: Date, writtenAt: Date): boolean => at.getTime() - writtenAt.getTime() >= currentMs;

/** The events of an opt-out or an opt-in, if the message changed anything. */
function eventsOf(leadId: string, wish: 'stop' | 'start' | null, optedOutAt: Date | null): OutboxEntry[] {
  if (wish === 'stop' && !optedOutAt) return optOutEvents('opted_out', leadId);
  if (wish === 'start' && optedOutAt) return optOutEvents('opted_in', leadId);
  return [];
}
