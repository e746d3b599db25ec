import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import { type Attempt, answer, type Claim, type ClaimNext, type RowKey } from '@mostrador/kit/step/retry-engine';
import { waitUntil } from '@mostrador/kit/step/step';
import { type ChannelRow, findChannelById } from '../channels/channel.repository.ts';
import { targetOf } from '../channels/providers.ts';
import { renderTemplate } from '../channels/render-template.ts';
import type { MessageRow } from '../messages/message.ts';
import { findTemplates } from '../templates/template.repository.ts';
import { claim, postpone, saveAsTemplate } from './attempt.repository.ts';
import {
  addressOf,
  type HeadRow,
  type LockedChannel,
  lockLiveChannel,
  lockQueue,
  saveNumber,
  strandQueue,
} from './delivery.repository.ts';
import type { DeliveryLimits } from './limits.ts';
import { nextMove } from './next-move.ts';
import { numberRate, sendRate, takeTurn } from './rates.ts';
import { fail, recordUnknown, saveCancelled } from './record-final.ts';

/** A claimed attempt to send a message, with everything that its call needs. */
export type Claimed = {
  readonly attempt: Attempt;
  readonly message: MessageRow;
  readonly channel: ChannelRow;
  readonly to: string;
  readonly asTemplate: boolean;
};

/** The lead's phone, or the id of a lead without one, for a lead that has not written. `gone`: crm no longer has the lead. */
export type Contact = { readonly address: string } | 'gone' | undefined;

export type Taken = Claim<Claimed> | { readonly kind: 'ask_contact' };

export type ClaimOptions = {
  readonly circuit: ProviderCircuit;
  readonly limits: DeliveryLimits;
  readonly contact: Contact;
  /** Gets the messages whose outcome was decided on the way. */
  readonly settled: string[];
};

/** Claims the next message of a lead's queue, in order, or says what the queue waits for. */
export const claimNext: ClaimNext<Taken, ClaimOptions> = async (
  sql,
  { storeId, id: leadId },
  { circuit, limits, contact, settled },
) => {
  for (;;) {
    const [{ pair, head }, channel] = await Promise.all([
      lockQueue(sql, storeId, leadId),
      lockLiveChannel(sql, storeId),
    ]);
    const to = (pair && addressOf(pair)) ?? (typeof contact === 'object' ? contact.address : null);
    const blocked = () => (channel ? circuit.blocked(targetOf(channel, to)) : null);
    const move = nextMove({ ...limits, pair, head, channel, blocked, now: head?.now ?? new Date() });
    switch (move.kind) {
      case 'answer':
        return move;
      case 'strand':
        await strandQueue(sql, storeId, leadId, limits);
        return answer(waitUntil(move.until, move.reason));
      case 'postpone': {
        const until = await postpone(sql, { storeId, id: move.head.id }, move);
        return answer(waitUntil(until, move.reason));
      }
      case 'cancel':
        await appendOutbox(sql, storeId, (await saveCancelled(sql, storeId, move.head, move.error)).entries);
        settled.push(move.head.id);
        break;
      case 'refuse':
        settled.push(await fail(sql, storeId, move.head.id, move.error));
        break;
      case 'expire': {
        const channelUsed = await channelOf(sql, storeId, move.head);
        const known = await recordUnknown(sql, storeId, move.head, channelUsed, lost, limits);
        if (known) settled.push(known);
        break;
      }
      case 'claim': {
        if (to) return await begin(sql, storeId, { ...move, channel: channel as LockedChannel, to }, limits);
        if (contact !== 'gone') return { kind: 'ask_contact' };
        settled.push(await fail(sql, storeId, move.head.id, leadGone));
      }
    }
  }
};

const lost = {
  code: 'attempt_lost',
  detail: 'The process stopped before it recorded the answer of the provider.',
};
const leadGone = { code: 'lead_not_found', detail: 'The lead no longer exists.' };

const channelOf = async (sql: TransactionSql, storeId: string, message: MessageRow): Promise<ChannelRow | undefined> =>
  message.channel_id === null ? undefined : await findChannelById(sql, storeId, message.channel_id);

type Due = {
  readonly head: HeadRow;
  readonly channel: LockedChannel;
  readonly to: string;
  readonly asTemplate: boolean;
};

async function begin(
  sql: TransactionSql,
  storeId: string,
  { head, channel, to, asTemplate }: Due,
  { leaseMs }: DeliveryLimits,
): Promise<Taken> {
  const { nowMs } = channel;
  const row: RowKey = { storeId, id: head.id };
  const rates = { slots: numberRate(channel), sends: sendRate(channel) };
  const turn = takeTurn(channel, head.slot_at?.getTime() ?? null, nowMs, rates);
  if (turn.waitUntilMs !== null) {
    const [until] = await Promise.all([
      postpone(sql, row, { delayMs: turn.waitUntilMs - nowMs, slotAt: new Date(turn.waitUntilMs) }),
      saveNumber(sql, storeId, channel.id, turn),
    ]);
    return answer(waitUntil(until, "the number's rate limit is reached"));
  }
  const message = asTemplate && head.kind !== 'template' ? await becomeTemplate(sql, storeId, head, channel) : head;
  const attempt = claim(sql, row, leaseMs, { number: head.attempts + 1, channelId: channel.id, rates: turn });
  return { kind: 'claimed', claimed: { attempt, message, channel, to, asTemplate } };
}

/** The customer gets the template in place of the text, so the message says from now on what they get. */
async function becomeTemplate(
  sql: TransactionSql,
  storeId: string,
  { id, template }: HeadRow,
  channel: ChannelRow,
): Promise<MessageRow> {
  const known = template ? await findTemplates(sql, storeId, channel.id, template.name) : [];
  const found = known.find(({ language }) => language === template?.language);
  return await saveAsTemplate(sql, storeId, id, found ? renderTemplate(found, template?.components) : '');
}
