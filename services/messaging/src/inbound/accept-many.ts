import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import { appendOutboxWithCommit, type OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { phoneForms } from '@mostrador/kit/phones/canonical-phone';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { InboundMessage } from '../channels/channel-provider.ts';
import { wishIn } from '../conversations/opt-out-state.ts';
import type { Dependencies } from '../dependencies.ts';
import { asPhone } from '../identities/as-phone.ts';
import { toInboundBody } from '../messages/inbound-body.ts';
import { insertMessages } from '../messages/message.repository.ts';
import { messageEvents } from '../messages/message-events.ts';
import { beginSessions } from '../sessions/session.repository.ts';
import {
  findChangedIds,
  findMetBefore,
  findSenders,
  type LeadCount,
  lockFreeConversations,
  lockFreeProviderMessages,
  readClock,
  takeNumbers,
  touchActiveSessions,
} from './accept-many.repository.ts';
import { cameAt } from './came-at.ts';
import { markProcessed } from './inbound.repository.ts';

/** A message with the payload that it came in. */
type Came = { readonly payload: { readonly id: string }; readonly content: InboundMessage };

type Batch<Message extends Came> = {
  /** The messages of each customer in the order of arrival. */
  readonly customers: readonly (readonly Message[])[];
  /** Whether a message may be accepted now, and with others. */
  readonly isDue: (message: Message) => boolean;
  /** The payloads that are processed completely once these messages are accepted. */
  readonly completeWith: (taken: ReadonlySet<readonly Message[]>) => readonly string[];
};

/** Messages of a customer whose lead has a conversation. */
type OfLead<Message extends Came> = { readonly leadId: string; readonly messages: readonly Message[] };

/**
 * Accepts messages of many customers of one channel in one transaction, with a few statements for all of them. It takes
 * what is plain: messages of a customer whom a conversation knows, that change nothing else, and that nothing else holds
 * at this moment. All messages of one customer are taken or none. `acceptInbound` accepts the others one by one, with the
 * same outcome. The same transaction marks payloads as processed. Returns the customers that it took.
 */
export async function acceptMany<Message extends Came>(
  { database, relay }: Pick<Dependencies, 'database' | 'relay'>,
  scope: StoreScope,
  channelId: string,
  batch: Batch<Message>,
): Promise<ReadonlySet<readonly Message[]>> {
  const { storeId } = scope;
  const known = await findKnown(database, scope, channelId, batch);
  if (known.length === 0) return new Set();
  const taken = await database.write(scope, async (sql) => {
    const { took, entries } = await take(sql, storeId, channelId, known);
    appendOutboxWithCommit(sql, storeId, entries);
    const complete = batch.completeWith(took);
    if (complete.length > 0) sql.withCommit(markProcessed(sql, storeId, complete));
    return took;
  });
  relay.nudge(['event', 'feed']);
  return taken;
}

/** The customers with plain messages whom a conversation knows by all of their ids, and who had no others before. */
async function findKnown<Message extends Came>(
  database: Dependencies['database'],
  scope: StoreScope,
  channelId: string,
  { customers, isDue }: Batch<Message>,
): Promise<OfLead<Message>[]> {
  // A set does not see its own messages, and one of them may quote another.
  const isPlain = (message: Message) =>
    isDue(message) &&
    !message.content.isEcho &&
    !message.content.isOnStandby &&
    wishIn(message.content) === null &&
    message.content.quotedId === undefined;
  if (!customers.some((messages) => messages.every(isPlain))) return [];
  const all = customers.flat().map(({ content }) => content);
  const waIds = all.flatMap(({ waId }) => waId ?? []);
  const userIds = all.flatMap(({ userId }) => userId ?? []);
  const [{ byWaId, byUserId }, changed] = await database.read(scope, (sql) =>
    Promise.all([
      findSenders(sql, scope.storeId, channelId, { waIds, userIds }),
      findChangedIds(sql, scope.storeId, [...waIds.flatMap(formsOf), ...userIds]),
    ]),
  );
  const leadsOf = ({ content: { waId, userId } }: Message) => [
    ...(waId === null ? [] : [byWaId.get(waId)]),
    ...(userId === null ? [] : [byUserId.get(userId)]),
  ];
  const isChanged = ({ content: { waId, userId } }: Message) =>
    [...(waId === null ? [] : formsOf(waId)), ...(userId === null ? [] : [userId])].some((id) => changed.has(id));
  const found = customers.map((messages) => {
    const leads = new Set(messages.flatMap(leadsOf));
    const isKnown = leads.size === 1 && !leads.has(undefined);
    return { messages, leads, isTaken: isKnown && messages.every((one) => isPlain(one) && !isChanged(one)) };
  });
  // A lead may be here under two ids. Then its messages stay together.
  const left = new Set(found.flatMap(({ isTaken, leads }) => (isTaken ? [] : [...leads])));
  return found.flatMap(({ isTaken, leads, messages }) =>
    isTaken ? [...leads].flatMap((leadId) => (leadId && !left.has(leadId) ? [{ leadId, messages }] : [])) : [],
  );
}

const formsOf = (waId: string): string[] => [waId, ...(asPhone(waId) === null ? [] : phoneForms(waId))];

async function take<Message extends Came>(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  known: readonly OfLead<Message>[],
): Promise<{ took: ReadonlySet<readonly Message[]>; entries: OutboxEntry[] }> {
  const idsOf = ({ messages }: OfLead<Message>) => messages.map(({ content }) => content.providerMessageId);
  const ofChannel = { channelId, providerMessageIds: [...new Set(known.flatMap(idsOf))] };
  const leadIds = [...new Set(known.map(({ leadId }) => leadId))];
  // Pipelined: PostgreSQL runs them in this order, so the lookups happen while the locks are held.
  const [free, conversations, metBefore, at] = await Promise.all([
    lockFreeProviderMessages(sql, storeId, ofChannel),
    lockFreeConversations(sql, storeId, leadIds),
    findMetBefore(sql, storeId, ofChannel),
    readClock(sql),
  ]);
  const isFree = (one: OfLead<Message>): boolean => {
    const conversation = conversations.get(one.leadId);
    // The lead may just have got another phone.
    const isTheirs = ({ content: { waId } }: Came) => waId === null || waId === conversation?.wa_id;
    return (
      conversation !== undefined &&
      one.messages.every(isTheirs) &&
      idsOf(one).every((id) => free.has(id) && !metBefore.changed.has(id))
    );
  };
  const unfree = new Set(known.filter((one) => !isFree(one)).map(({ leadId }) => leadId));
  const plain = known.filter(({ leadId }) => !unfree.has(leadId));
  const seen = new Set(metBefore.known);
  const news = plain
    .flatMap(({ leadId, messages }) => messages.map(({ payload, content }) => ({ leadId, payload, content })))
    // Both customers of a lead that has two ids together: in the order of arrival. The sort keeps that of a payload.
    .toSorted((one, other) => (one.payload.id < other.payload.id ? -1 : Number(one.payload.id > other.payload.id)))
    .filter(({ content: { providerMessageId: id } }) => !seen.has(id) && seen.add(id));
  const byLead = Map.groupBy(news, ({ leadId }) => leadId);
  const counts = [...byLead].map(([lead_id, messages]): LeadCount => {
    const written_at = new Date(Math.max(...messages.map(({ content }) => content.writtenAt.getTime())));
    return { lead_id, count: messages.length, came_at: cameAt(at, written_at), written_at };
  });
  const took = new Set(plain.map(({ messages }) => messages));
  if (news.length === 0) return { took, entries: [] };

  const [active] = await Promise.all([
    touchActiveSessions(sql, storeId, at, [...byLead.keys()]),
    takeNumbers(sql, storeId, at, counts),
  ]);
  const without = [...byLead.keys()].filter((leadId) => !active.has(leadId));
  const [begun, entries] =
    without.length > 0 ? await beginSessions(sql, storeId, without, { at, direction: 'inbound' }) : [active, []];
  const numbers = new Map([...conversations].map(([leadId, { next_number }]) => [leadId, Number(next_number)]));
  const rows = await insertMessages(
    sql,
    storeId,
    news.map(({ leadId, content: { kind, body: text, content, media, providerMessageId } }) => {
      const number = numbers.get(leadId) as number;
      numbers.set(leadId, number + 1);
      const session_id = (active.get(leadId) ?? begun.get(leadId)) as string;
      const { body, ...changed } = toInboundBody(text);
      return {
        lead_id: leadId,
        session_id,
        number,
        created_at: at,
        direction: 'inbound' as const,
        source: 'lead' as const,
        kind,
        body,
        changed,
        content,
        media,
        channel_id: channelId,
        provider_message_id: providerMessageId,
      };
    }),
  );
  const received = rows.flatMap((row) => messageEvents.received(row, toTimestamp(at)));
  return { took, entries: [...entries, ...received] };
}
