import { ensureLead } from '@mostrador/contracts';
import type { Sql, StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { CustomerIds, IdentityChange, InboundMessage } from '../channels/channel-provider.ts';
import { isFrom } from '../conversations/change-contact-phone.ts';
import {
  ensureConversation,
  type FoundLeads,
  findLeadsByIdentity,
  findOtherCustomer,
  lockConversation,
  saveUserId,
  takeInbound,
  UserIdTaken,
} from '../conversations/conversation.repository.ts';
import { mayReplyTo } from '../conversations/may-reply-to.ts';
import { optOutEvents, toOptOut, wishIn, withWish } from '../conversations/opt-out-state.ts';
import { overtakeQueuedAi } from '../delivery/cancel-queued-ai.ts';
import { lockProviderMessage } from '../delivery/status-update.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { asPhone } from '../identities/as-phone.ts';
import { currentIds } from '../identities/current-ids.ts';
import { findRelease, isFinished, type NumberRelease } from '../identities/identity-change.repository.ts';
import { toInboundBody } from '../messages/inbound-body.ts';
import { linkQuotesOf } from '../messages/link-quotes.ts';
import { insertMessage, isKnownInbound } from '../messages/message.repository.ts';
import { listChanges } from '../messages/message-change.repository.ts';
import { withChanges } from '../messages/message-change.ts';
import { messageEvents } from '../messages/message-events.ts';
import { storedIdOf } from '../messages/stored-id.repository.ts';
import { touchSession } from '../sessions/session.repository.ts';
import { acceptEcho } from './accept-echo.ts';
import { isLate } from './came-at.ts';
import { reopenFailed } from './inbound.repository.ts';
import { moveIdentity } from './move-identity.ts';
import { NoPhone, noPhone } from './no-phone.ts';
import { agentOfChannel, standbyPauseMinutes } from './pause-of.ts';
import { releaseNumber } from './release-number.ts';
import { type FoundLead, requireSameCustomer } from './same-customer.ts';
import { takeKept } from './take-kept.ts';

/**
 * Accepts an inbound message, or the echo of one that the store wrote. A customer without a lead gets one. A duplicate
 * changes nothing. Returns the lead and its number of interactions; null for a duplicate.
 *
 * @throws AppError `service_unavailable` or `upstream_timeout` when crm is needed and does not answer, or when the lead
 *   has just been merged into another one or got another phone: retry later
 * @throws NoPhone
 */
export async function acceptInbound(
  { database, rpc, relay }: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  channelId: string,
  received: InboundMessage,
): Promise<{ lead_id: string; interaction_count: number } | null> {
  const { storeId } = context;
  const sender = await findSender({ database, rpc, relay }, context, channelId, received);
  const { message, byWaId, byUserId } = sender;
  // Outside of the transaction, so that no lock is held during a call to another service.
  const known = byWaId ?? byUserId;
  const leadId = known ?? (await ensureLeadOf({ database, rpc, relay }, { ...context, storeId }, sender));
  const newUserId = byUserId === leadId && sender.channelOfUserId === channelId ? null : message.userId;
  const accepting = database.write(context, async (sql) => {
    const lead = { id: leadId, confirmed: known === null, byWaId: byWaId !== null };
    const take = message.isEcho ? acceptEcho : accept;
    const count = await take(sql, storeId, lead, channelId, message);
    if (count !== null && newUserId !== null) {
      await saveUserId(sql, storeId, leadId, { userId: newUserId, channelId }, [byUserId]);
      await reopenFailed(sql, storeId, { customer: newUserId, code: noPhone });
    }
    return count;
  });
  const interaction_count = await accepting.catch(async (error: unknown) => {
    // Another message of the customer came first, and told the number. Crm has a lead of each: they become one.
    const { userId, writtenAt } = message;
    if (error instanceof UserIdTaken && known === null && userId !== null) {
      const ids = { waId: null, userId };
      const change = { eventId: `${userId} ${leadId}`, at: writtenAt, from: ids, to: ids };
      await moveIdentity({ database, rpc, relay }, context, channelId, change);
    }
    throw error;
  });
  if (interaction_count === null) return null;
  relay.nudge(['event', 'feed']);
  return { lead_id: leadId, interaction_count };
}

/** What tells who a customer is. */
type Told = CustomerIds & Pick<InboundMessage, 'writtenAt'>;

/** `previousLeadId`: who had the number of a customer without a lead before. */
type Sender<Message extends Told = InboundMessage> = FoundLeads & {
  readonly message: Message;
  readonly previousLeadId?: string;
};

/**
 * The leads of the customer, and the message under the ids that the customer has now. What it tells of who the customer is
 * is applied first.
 */
export async function findSender<Message extends Told>(
  tools: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  channelId: string,
  received: Message,
): Promise<Sender<Message>> {
  const { storeId } = context;
  const find = (ids = received) => tools.database.read(context, (sql) => findKnown(sql, storeId, channelId, ids));
  let known = await find();
  // The number belonged to the sender before it came to the one who wrote since.
  if (known.other?.hasWrittenSince) return await find({ ...received, waId: null });
  if (known.other) {
    await releaseNumber(tools, context, known.other, received.writtenAt);
    known = await find();
  }
  const { release, ...found } = known;
  if (release && !release.isFinished) await releaseNumber(tools, context, release, received.writtenAt);
  const isNewStart = release !== undefined && release.userId !== found.message.userId;
  const sender = isNewStart ? { ...found, previousLeadId: release.leadId } : found;
  const link = linkOf(sender);
  if (!link || (await tools.database.read(context, (sql) => isFinished(sql, storeId, channelId, link)))) return sender;
  await moveIdentity(tools, context, channelId, link);
  return await find();
}

type Known<Message extends Told> = Sender<Message> & {
  /** The customer whom this channel knows by the number of the message, if its user id is another one's. */
  readonly other: (NumberRelease & { readonly hasWrittenSince: boolean }) | undefined;
  /** The last release of a number that no lead has. */
  readonly release: Awaited<ReturnType<typeof findRelease>>;
};

async function findKnown<Message extends Told>(
  sql: Sql,
  storeId: string,
  channelId: string,
  received: Message,
): Promise<Known<Message>> {
  const sender = await findByIds(sql, storeId, received);
  const { waId } = sender.message;
  const [other, release] = await Promise.all([
    findOther(sql, storeId, channelId, sender),
    sender.byWaId === null && waId !== null ? findRelease(sql, storeId, waId) : undefined,
  ]);
  return { ...sender, other, release };
}

async function findOther(
  sql: Sql,
  storeId: string,
  channelId: string,
  { message, byWaId, byUserId }: Sender<Told>,
): Promise<Known<Told>['other']> {
  const { waId, userId, writtenAt } = message;
  if (waId === null || userId === null || byWaId === null || byUserId === byWaId) return undefined;
  const other = await findOtherCustomer(sql, storeId, channelId, { leadId: byWaId, userId });
  if (!other) return undefined;
  const hasWrittenSince = other.wroteAt !== null && writtenAt <= other.wroteAt;
  const eventId = `${other.userId} left ${waId} ${toTimestamp(writtenAt)}`;
  return { hasWrittenSince, channelId, eventId, leadId: byWaId, waId, userId: other.userId };
}

async function findByIds<Message extends Told>(sql: Sql, storeId: string, received: Message): Promise<Sender<Message>> {
  const [known, ids] = await Promise.all([
    findLeadsByIdentity(sql, storeId, received),
    currentIds(sql, storeId, received, received.writtenAt),
  ]);
  if (ids.waId === received.waId && ids.userId === received.userId) return { ...known, message: received };
  return { ...(await findLeadsByIdentity(sql, storeId, ids)), message: { ...received, ...ids } };
}

/** What a message tells that has the user id of one lead and the number of another one, or of none: who they are is one. */
function linkOf({ message, byWaId, byUserId, waIdByUserId }: Sender<Told>): IdentityChange | undefined {
  const { waId, userId, writtenAt } = message;
  if (waId === null || userId === null || byUserId === null || byWaId === byUserId) return undefined;
  // The same number in another form.
  if (byWaId === null && isFrom(waIdByUserId, waId)) return undefined;
  const eventId = `${userId} ${waId}`;
  return { eventId, at: writtenAt, from: { waId: null, userId }, to: { waId, userId } };
}

/** The lead of a customer who has none yet. It has what the channel told of the customer before. */
export async function ensureLeadOf(
  tools: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  { message: { waId, userId, name, username }, previousLeadId }: Sender,
): Promise<string> {
  const customer_phone = asPhone(waId);
  const id = customer_phone ?? userId;
  if (id === null) throw new NoPhone('an unknown customer has no phone number');
  const called = { name: name ?? username ?? id, ...(username && { username }) };
  const mark = previousLeadId && { previous_lead_id: previousLeadId };
  const body = customer_phone === null ? { channel_user_id: id, ...called } : { customer_phone, ...called, ...mark };
  const { id: leadId } = await tools.rpc.call(ensureLead, { body }, context);
  await takeKept(tools, context, [{ leadId, ids: { waId, userId } }]);
  return leadId;
}

async function accept(
  sql: TransactionSql,
  storeId: string,
  lead: FoundLead,
  channelId: string,
  message: InboundMessage,
): Promise<number | null> {
  const { id: leadId, confirmed } = lead;
  const { providerMessageId, waId, kind, writtenAt, isOnStandby = false } = message;
  const isKnown = () => isKnownInbound(sql, storeId, { channelId, providerMessageId });
  // Pipelined: PostgreSQL runs them in this order, so the lookups happen while the locks are held.
  const [, locked, known, changes] = await Promise.all([
    lockProviderMessage(sql, storeId, channelId, providerMessageId),
    lockConversation(sql, storeId, leadId),
    isKnown(),
    listChanges(sql, storeId, { channelId, providerMessageId }),
  ]);
  const conversation = locked ?? (await ensureConversation(sql, storeId, leadId, confirmed));
  if (locked ? known : await isKnown()) return null;
  requireSameCustomer(conversation, lead, message);
  const replyTo = mayReplyTo(conversation, waId) ? waId : null;
  const wish = wishIn(message);
  const optOut = wish && withWish(conversation, wish);
  const late = isLate(new Date(), writtenAt);
  const pausesAi = message.isOnStandby && !late ? { minutes: standbyPauseMinutes, by: agentOfChannel } : undefined;
  const taken = await takeInbound(sql, storeId, leadId, {
    waId: replyTo,
    writtenAt,
    late,
    optOut,
    pausesAi,
    isOnStandby,
  });
  const session = await touchSession(sql, storeId, leadId, { at: taken.at, direction: 'inbound' });
  // Changes may come before their message.
  const { body, ...changed } = withChanges(newMessage(message), changes);
  const inserting = insertMessage(sql, storeId, {
    id: taken.id,
    lead_id: leadId,
    session_id: session.sessionId,
    number: taken.number,
    created_at: taken.at,
    direction: 'inbound',
    source: 'lead',
    kind,
    body,
    changed,
    channel_id: channelId,
    provider_message_id: providerMessageId,
    ...(changed.revoked_at === null && { content: message.content, media: message.media }),
    ...(message.quotedId && { quotedId: await storedIdOf(sql, storeId, { leadId, channelId }, message.quotedId) }),
  });
  const [row, quotes] = await Promise.all([
    inserting,
    linkQuotesOf(sql, storeId, { leadId, channelId }, [providerMessageId]),
  ]);
  const overtaken =
    pausesAi === undefined ? [] : await overtakeQueuedAi(sql, storeId, { leadId, before: taken.number });
  await appendOutbox(sql, storeId, [
    ...session.events,
    ...messageEvents.received(row, toTimestamp(taken.at), isOnStandby),
    ...quotes,
    ...overtaken,
    ...(optOut ? optOutEvents(leadId, toOptOut(conversation), toOptOut(taken)) : []),
  ]);
  return taken.interactionCount;
}

const newMessage = ({ body }: InboundMessage) => ({
  ...{ source: 'lead' as const, reactions: [], edited_at: null, revoked_at: null },
  ...toInboundBody(body),
});
