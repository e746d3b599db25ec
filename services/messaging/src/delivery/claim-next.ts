import { randomUUID } from 'node:crypto';
import type { NextStep } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import { waitUntil } from '@mostrador/kit/step/step';
import { type ChannelRow, findChannelById } from '../channels/channel.repository.ts';
import { targetOf } from '../channels/providers.ts';
import type { MessageRow } from '../messages/message.ts';
import {
  claim,
  type HeadRow,
  type LockedChannel,
  lockLiveChannel,
  lockQueue,
  postpone,
  saveNumber,
  strandQueue,
} from './delivery.repository.ts';
import type { DeliveryLimits } from './limits.ts';
import { nextMove } from './next-move.ts';
import { numberRate, sendRate, takeTurn } from './rates.ts';
import { type Claimed, fail, recordUnknown } from './record-outcome.ts';

/** The lead's phone, for a lead that the channel has no id for yet. `gone`: crm no longer has the lead. */
export type Contact = { readonly phone: string } | 'gone' | undefined;

export type Taken =
  | { readonly kind: 'send'; readonly claimed: Claimed }
  | { readonly kind: 'ask contact' }
  | { readonly kind: 'answer'; readonly next: NextStep };

export type ClaimOptions = {
  readonly circuit: ProviderCircuit;
  readonly limits: DeliveryLimits;
  readonly contact: Contact;
};

/**
 * Claims the next message of a lead's queue, in order, or says what the queue waits for. Adds to `settled` the messages
 * whose outcome it decided on the way.
 */
export async function claimNext(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { circuit, limits, contact }: ClaimOptions,
  settled: string[],
): Promise<Taken> {
  for (;;) {
    const [{ pair, head }, channel] = await Promise.all([
      lockQueue(sql, storeId, leadId),
      lockLiveChannel(sql, storeId),
    ]);
    const to = pair?.wa_id ?? pair?.phone ?? (typeof contact === 'object' ? contact.phone : null);
    const blocked = () => (channel ? circuit.blocked(targetOf(channel, to)) : null);
    const move = nextMove({ ...limits, pair, head, channel, blocked });
    switch (move.kind) {
      case 'answer':
        return move;
      case 'strand':
        await strandQueue(sql, storeId, leadId, limits);
        return { kind: 'answer', next: waitUntil(move.until, move.reason) };
      case 'postpone':
        return waiting(await postpone(sql, storeId, move.head.id, move), move.reason);
      case 'refuse':
        settled.push(await fail(sql, storeId, move.head.id, move.error));
        break;
      case 'expire': {
        const known = await recordUnknown(
          sql,
          storeId,
          move.head,
          await channelOf(sql, storeId, move.head),
          lost,
          limits,
        );
        if (known) settled.push(known);
        break;
      }
      case 'send': {
        if (to) return await begin(sql, storeId, { ...move, channel: channel as LockedChannel, to }, limits);
        if (contact !== 'gone') return { kind: 'ask contact' };
        settled.push(await fail(sql, storeId, move.head.id, leadGone));
      }
    }
  }
}

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
  const rates = { slots: numberRate(channel), sends: sendRate(channel) };
  const turn = takeTurn(channel, head.slot_at?.getTime() ?? null, nowMs, rates);
  if (turn.waitUntilMs !== null) {
    const [until] = await Promise.all([
      postpone(sql, storeId, head.id, { delayMs: turn.waitUntilMs - nowMs, slotAt: new Date(turn.waitUntilMs) }),
      saveNumber(sql, storeId, channel.id, turn),
    ]);
    return waiting(until, "the number's rate limit is reached");
  }
  const attempt = { storeId, id: head.id, leaseToken: randomUUID() };
  sql.withCommit(claim(sql, attempt, { channelId: channel.id, leaseMs, number: turn }));
  return { kind: 'send', claimed: { attempt, message: head, channel, to, asTemplate, attempts: head.attempts + 1 } };
}

const waiting = (until: Date, reason: string): Taken => ({ kind: 'answer', next: waitUntil(until, reason) });
