import { randomUUID } from 'node:crypto';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutboxWithCommit } from '@mostrador/kit/outbox/outbox';
import type { ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import { providerOf, targetOf } from '../channels/providers.ts';
import { type MessageRow, mergeStatusUpdate } from '../messages/message.ts';
import { messageEvents } from '../messages/message-events.ts';
import {
  type Acceptance,
  claimAll,
  findHeads,
  findPlain,
  type Late,
  lockPairs,
  lockProviderMessages,
  postponeAll,
  type Sent,
  saveAllSent,
} from './batch.repository.ts';
import type { Claimed } from './claim-next.ts';
import {
  addressOf,
  type HeadRow,
  type LockedChannel,
  lockLiveChannel,
  type PairRow,
  saveNumber,
} from './delivery.repository.ts';
import type { DeliveryLimits } from './limits.ts';
import { nextMove } from './next-move.ts';
import { type NumberState, numberRate, pairRate, sendRate, takeTurn } from './rates.ts';
import type { Outcome } from './record-outcome.ts';
import { type Fence, holdsShard } from './shard.repository.ts';

/** An attempt whose call has ended. */
export type Ended = { readonly claimed: Claimed; readonly outcome: Outcome };

/** What one transaction does for a store. */
type StoreWork = {
  readonly ended: readonly Ended[];
  /** The leads whose next message may be due. Those of `ended` are looked at, too. */
  readonly leads: readonly string[];
  /** Undefined: no pump has the shard here, so nothing is claimed. */
  readonly fence: Fence | undefined;
  /** How many calls may begin. */
  readonly room: number;
};

export type Advanced = {
  readonly claimed: readonly Claimed[];
  /** The leads that wait, and until when (epoch ms). Leads whose queue is empty are in no list. */
  readonly waits: readonly { readonly leadId: string; readonly untilMs: number }[];
  /** The leads for which there was no room. */
  readonly left: readonly string[];
  /** The leads whose conversation another transaction holds, or that have none. */
  readonly locked: readonly string[];
  /** What is no matter of sets: `recordAnd` and `claimNext` do it, in a transaction of their own. */
  readonly endedAlone: readonly Ended[];
  readonly leadsAlone: readonly string[];
  /** Another pump has the shard: nothing was claimed. */
  readonly isReplaced: boolean;
};

type AdvanceOptions = { readonly circuit: ProviderCircuit; readonly limits: DeliveryLimits };

/**
 * Records the attempts of a store that have ended, and claims the next message of its leads, in one transaction. Only the
 * frequent cases are done as sets: an accepted message, a claim, a postponement. It adds to `settled` the messages whose
 * outcome it recorded.
 */
export async function advanceStore(
  sql: TransactionSql,
  storeId: string,
  { ended, leads, fence, room }: StoreWork,
  { circuit, limits }: AdvanceOptions,
  settled: string[],
): Promise<Advanced> {
  const accepted = ended.flatMap((each) => acceptanceOf(each) ?? []);
  const leadIds = [...new Set([...leads, ...ended.map(({ claimed }) => claimed.message.lead_id)])];
  // Pipelined: PostgreSQL runs them in this order, so all locks are held when the messages are read.
  const [held, , pairs, plain, heads, channel] = await Promise.all([
    fence && holdsShard(sql, fence),
    accepted.length > 0 && lockProviderMessages(sql, storeId, accepted),
    lockPairs(sql, storeId, leadIds),
    accepted.length > 0 ? findPlain(sql, storeId, accepted) : [],
    fence
      ? findHeads(
          sql,
          storeId,
          leadIds,
          accepted.map(({ id }) => id),
        )
      : new Map<string, HeadRow>(),
    fence && lockLiveChannel(sql, storeId),
  ]);
  const sent = new Map(plain.filter(({ lead_id }) => pairs.has(lead_id)).map((row) => [row.id, row]));
  const recorded = ended.filter((each) => sent.has(each.claimed.message.id) && isPlain(each, sent, pairs));
  const endedAlone = ended.filter((each) => !recorded.includes(each));
  for (const { claimed } of recorded) {
    settled.push(claimed.message.id);
    countSent(pairs, claimed, channel?.nowMs ?? Date.now());
  }
  // What is next for a lead is not known before its attempt is recorded.
  const unknown = new Set(endedAlone.map(({ claimed }) => claimed.message.lead_id));
  const decided = held
    ? decide(
        leadIds.filter((id) => !unknown.has(id)),
        { storeId, pairs, heads, channel, room, circuit, limits },
      )
    : nothing;
  const [postponed] = await Promise.all([
    decided.late.length > 0 ? postponeAll(sql, storeId, decided.late) : new Map<string, Date>(),
    recorded.length > 0 && recordSent(sql, storeId, recorded, sent, limits),
  ]);
  writeClaims(sql, storeId, channel, decided, limits);
  const lateOnes = decided.late.map(({ leadId, id }) => ({ leadId, untilMs: postponed.get(id)?.getTime() ?? 0 }));
  return {
    claimed: decided.claims,
    waits: [...decided.waits, ...lateOnes],
    left: decided.left,
    locked: decided.locked,
    endedAlone,
    leadsAlone: decided.alone,
    isReplaced: fence !== undefined && !held,
  };
}

type Looked = {
  readonly storeId: string;
  readonly pairs: ReadonlyMap<string, PairRow>;
  readonly heads: ReadonlyMap<string, HeadRow>;
  readonly channel: LockedChannel | undefined | false;
  readonly room: number;
} & AdvanceOptions;

type Decided = {
  readonly claims: Claimed[];
  readonly late: (Late & { readonly leadId: string })[];
  readonly waits: { readonly leadId: string; readonly untilMs: number }[];
  readonly left: string[];
  readonly locked: string[];
  readonly alone: string[];
  /** The rate limits of the number after the claims. Undefined: they have not changed. */
  rates: NumberState | undefined;
};

const nothing: Decided = { claims: [], late: [], waits: [], left: [], locked: [], alone: [], rates: undefined };

/** Decides about the queue of each lead, by the rules of `nextMove`. The number's rate gives turns in this order. */
function decide(
  leadIds: readonly string[],
  { storeId, pairs, heads, channel, room, circuit, limits }: Looked,
): Decided {
  const decided: Decided = { claims: [], late: [], waits: [], left: [], locked: [], alone: [], rates: undefined };
  for (const leadId of leadIds) {
    const pair = pairs.get(leadId);
    const head = heads.get(leadId);
    if (!pair) decided.locked.push(leadId);
    else if (!channel) decided.alone.push(leadId);
    else if (decided.claims.length + decided.alone.length >= room) decided.left.push(leadId);
    else if (head) decideOne(decided, { storeId, pair, head, channel, circuit, limits });
  }
  return decided;
}

type Queue = AdvanceOptions & {
  readonly storeId: string;
  readonly pair: PairRow;
  readonly head: HeadRow;
  readonly channel: LockedChannel;
};

function decideOne(decided: Decided, { storeId, pair, head, channel, circuit, limits }: Queue): void {
  const { id, lead_id: leadId } = head;
  const to = addressOf(pair);
  const blocked = () => circuit.blocked(targetOf(channel, to));
  const move = nextMove({ ...limits, pair, head, channel, blocked, now: head.now });
  if (move.kind === 'answer') {
    if (move.next.wake_at) decided.waits.push({ leadId, untilMs: Date.parse(move.next.wake_at) });
  } else if (move.kind === 'postpone') {
    decided.late.push({ leadId, id, delayMs: move.delayMs, ...(move.blocked && { blocked: move.blocked }) });
  } else if (move.kind !== 'claim' || !to || (move.asTemplate && head.kind !== 'template')) {
    decided.alone.push(leadId);
  } else {
    const rates = { slots: numberRate(channel), sends: sendRate(channel) };
    const turn = takeTurn(decided.rates ?? channel, head.slot_at?.getTime() ?? null, channel.nowMs, rates);
    decided.rates = turn;
    if (turn.waitUntilMs !== null) {
      const slotAt = new Date(turn.waitUntilMs);
      decided.late.push({ leadId, id, delayMs: turn.waitUntilMs - channel.nowMs, slotAt });
    } else {
      const attempt = { storeId, id, leaseToken: randomUUID(), number: head.attempts + 1 };
      decided.claims.push({ attempt, message: head, channel, to, asTemplate: move.asTemplate });
    }
  }
}

function writeClaims(
  sql: TransactionSql,
  storeId: string,
  channel: LockedChannel | undefined | false,
  { claims, rates }: Decided,
  { leaseMs }: DeliveryLimits,
): void {
  if (!channel || !rates) return;
  if (claims.length === 0) sql.withCommit(saveNumber(sql, storeId, channel.id, rates));
  else {
    const attempts = claims.map(({ attempt }) => attempt);
    claimAll(sql, storeId, leaseMs, attempts, { channelId: channel.id, rates });
  }
}

const acceptanceOf = ({ claimed: { attempt, channel }, outcome }: Ended): Acceptance | undefined => {
  if (outcome.kind !== 'succeeded') return undefined;
  const { providerMessageId } = outcome.accepted;
  return { id: attempt.id, leaseToken: attempt.leaseToken, channelId: channel.id, providerMessageId };
};

/** The lead that sends is still the one of the attempt, and the channel's id of it is known. */
function isPlain(
  { claimed, outcome }: Ended,
  sent: ReadonlyMap<string, MessageRow>,
  pairs: ReadonlyMap<string, PairRow>,
): boolean {
  const { id, lead_id } = claimed.message;
  const learns = outcome.kind === 'succeeded' && outcome.accepted.waId !== null && pairs.get(lead_id)?.wa_id === null;
  return sent.get(id)?.lead_id === lead_id && !learns;
}

/** Counts a message against its pair's rate, as `saveAllSent` does in the row. */
function countSent(pairs: Map<string, PairRow>, { message, channel }: Claimed, nowMs: number): void {
  const pair = pairs.get(message.lead_id);
  if (!pair) return;
  const pair_tat = new Date(Math.max(pair.pair_tat.getTime(), nowMs) + pairRate(channel).intervalMs);
  pairs.set(message.lead_id, { ...pair, pair_tat });
}

async function recordSent(
  sql: TransactionSql,
  storeId: string,
  recorded: readonly Ended[],
  rows: ReadonlyMap<string, MessageRow>,
  { noStatusAfterMs }: DeliveryLimits,
): Promise<void> {
  const now = new Date();
  const sent = recorded.flatMap(({ claimed: { message, channel }, outcome }): Sent[] => {
    const row = rows.get(message.id);
    const state = row && mergeStatusUpdate(row, { status: 'sent', at: now });
    if (outcome.kind !== 'succeeded' || !row || !state?.sent_at) return [];
    const { id, lead_id, session_id } = row;
    const watchAfterMs = providerOf(channel).reportsStatus ? noStatusAfterMs : null;
    const { providerMessageId } = outcome.accepted;
    const { intervalMs } = pairRate(channel);
    return [{ id, lead_id, session_id, providerMessageId, sentAt: state.sent_at, intervalMs, watchAfterMs }];
  });
  const saved = await saveAllSent(sql, storeId, sent);
  appendOutboxWithCommit(sql, storeId, saved.flatMap(messageEvents.sent));
}
