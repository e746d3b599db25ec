import { ensureLead } from '@mostrador/contracts';
import { appendOutbox, type Fact } from '@mostrador/kit/outbox';
import type { StoreScope, TransactionSql } from '@mostrador/kit/postgres';
import type { CallContext } from '@mostrador/kit/rpc-client';
import { toTimestamp } from '@mostrador/kit/validate';
import {
  countInteraction,
  ensureConversation,
  findLeadByWaId,
  recordInbound,
  takeNumber,
} from '../conversations/conversation.repository.ts';
import { readOptOut } from '../conversations/opt-out.ts';
import type { Dependencies } from '../dependencies.ts';
import { insertMessage, isKnownInbound } from '../messages/message.repository.ts';
import { touchSession } from '../sessions/session.repository.ts';
import type { InboundMessage } from './whatsapp-payload.ts';

/** A customer who is not known yet, and whom the channel names by something that is no phone. */
export class NoPhone extends Error {}

const phone = /^[1-9][0-9]{7,14}$/;
/** How far back what a customer wrote still opens the reply window, and counts as a reply of this moment. */
const currentMs = 24 * 3_600_000;

/**
 * Takes in a message: its customer is a lead from then on. One that was taken in before changes nothing. Returns the lead,
 * and how many interactions it has now; null when there was nothing new.
 *
 * @throws AppError `service_unavailable` or `upstream_timeout` when crm is needed and does not answer: again later
 * @throws NoPhone
 */
export async function acceptInbound(
  { database, rpc, relay }: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  channelId: string,
  message: InboundMessage,
): Promise<{ leadId: string; interactionCount: number } | null> {
  const { storeId } = context;
  const { waId, name } = message;
  const known = await database.read(context, (sql) => findLeadByWaId(sql, storeId, waId));
  // Outside of the transaction: whoever waits for another service holds no lock.
  const leadId = known ?? (await ensure({ rpc }, { ...context, storeId }, waId, name));
  const interactionCount = await database.write(context, (sql) => accept(sql, storeId, leadId, channelId, message));
  if (interactionCount === null) return null;
  relay.nudge();
  return { leadId, interactionCount };
}

async function ensure(
  { rpc }: Pick<Dependencies, 'rpc'>,
  context: CallContext,
  waId: string,
  name: string | null,
): Promise<string> {
  if (!phone.test(waId)) throw new NoPhone('an unknown customer has no phone number');
  const lead = await rpc.call(ensureLead, { body: { customer_phone: waId, name: name ?? waId } }, context);
  return lead.id;
}

async function accept(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  channelId: string,
  { providerMessageId, waId, kind, body, writtenAt }: InboundMessage,
): Promise<number | null> {
  const conversation = await ensureConversation(sql, storeId, leadId);
  if (await isKnownInbound(sql, storeId, { channelId, providerMessageId })) return null;
  const { number, at } = await takeNumber(sql, storeId, leadId);
  const { sessionId } = await touchSession(sql, storeId, leadId, at);
  const row = await insertMessage(sql, storeId, {
    lead_id: leadId,
    session_id: sessionId,
    number,
    created_at: at,
    direction: 'inbound',
    source: 'lead',
    kind,
    body,
    channel_id: channelId,
    provider_message_id: providerMessageId,
  });
  const { optedOutAt, facts } = readWish(leadId, body, conversation.opted_out_at, at);
  await recordInbound(sql, storeId, leadId, { waId, at: cameAt(at, writtenAt), optedOutAt });
  await appendOutbox(sql, storeId, [
    {
      kind: 'event',
      type: 'messaging.message.received',
      data: { message_id: row.id, lead_id: leadId, session_id: sessionId, received_at: toTimestamp(at) },
    },
    ...facts,
  ]);
  return await countInteraction(sql, storeId, leadId);
}

/**
 * When a message counts as written that came at this moment. One that was long on its way opens no window: the channel
 * counts from when it was written.
 */
export function cameAt(at: Date, writtenAt: Date): Date {
  return at.getTime() - writtenAt.getTime() < currentMs ? at : writtenAt;
}

/** What the message changes about being written to. */
function readWish(
  leadId: string,
  body: string,
  optedOutAt: Date | null,
  at: Date,
): { optedOutAt: Date | null; facts: Fact[] } {
  const wish = readOptOut(body);
  const data = { lead_id: leadId };
  if (wish === 'stop' && !optedOutAt) {
    return { optedOutAt: at, facts: [{ kind: 'event', type: 'messaging.lead.opted_out', data }] };
  }
  if (wish === 'start' && optedOutAt) {
    return { optedOutAt: null, facts: [{ kind: 'event', type: 'messaging.lead.opted_in', data }] };
  }
  return { optedOutAt, facts: [] };
}
