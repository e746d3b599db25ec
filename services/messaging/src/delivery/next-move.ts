import type { Blocked, BlockedReason } from '@mostrador/kit/resilience/circuit';
import { delayWhileBlockedMs, retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import { type Move as AnyMove, answer, type NextMove } from '@mostrador/kit/step/retry-engine';
import { done, failedReason, waitForLease, waitUntil } from '@mostrador/kit/step/step';
import type { ChannelRow } from '../channels/channel.repository.ts';
import type { ChannelError } from '../channels/channel-provider.ts';
import { replyWindowMsOf } from '../channels/providers.ts';
import { needsConsent } from '../conversations/opt-out-state.ts';
import { isWindowOpen } from '../conversations/reply-window.ts';
import type { HeadRow, PairRow } from './delivery.repository.ts';
import { freeAtMs, pairRate } from './rates.ts';
import { aiPaused, expired } from './record-final.ts';

export type Situation = {
  readonly pair: PairRow | undefined;
  readonly head: HeadRow | undefined;
  readonly channel: ChannelRow | undefined;
  /** The time of the database clock. */
  readonly now: Date;
  /** Why the channel's circuit blocks calls; null: it allows one. Asked only for a due message, which then has a turn. */
  readonly blocked: () => Blocked | null;
  readonly unknownHoldMs: number;
  readonly giveUpAfterMs: number;
};

type Due = {
  readonly head: HeadRow;
  readonly pair: PairRow;
  readonly channel: ChannelRow;
  readonly asTemplate: boolean;
};

type OwnMove =
  /** An operator must connect a channel before `until`, when the message fails. */
  | { readonly kind: 'strand'; readonly until: Date; readonly reason: string }
  /** The lease of an attempt ran out before its outcome was recorded. */
  | { readonly kind: 'expire'; readonly head: HeadRow; readonly pair: PairRow }
  /** The `expires_at` of the message has come, or the AI was paused after it wrote the message. */
  | { readonly kind: 'cancel'; readonly head: HeadRow; readonly error: { code: string; detail: string } }
  /** The message was accepted but may no longer be sent. */
  | { readonly kind: 'refuse'; readonly head: HeadRow; readonly error: { code: string; detail: string } }
  | {
      readonly kind: 'postpone';
      readonly head: HeadRow;
      readonly delayMs: number;
      readonly reason: string;
      /** Only when the circuit blocks calls. */
      readonly blocked?: BlockedReason;
    };

export type Move = AnyMove<Due, OwnMove>;

/** Decides about the first message of a lead's queue. */
export const nextMove: NextMove<Situation, Move> = (situation, random = Math.random) => {
  const { head, pair, channel, now, unknownHoldMs, giveUpAfterMs } = situation;
  if (!head || !pair) return answer(done('the queue is empty'));
  if (head.status === 'sending') {
    if (head.lease_until && head.lease_until > now) return answer(waitForLease(head.lease_until));
    return { kind: 'expire', head, pair };
  }
  if (head.expires_at && head.expires_at <= now) return { kind: 'cancel', head, error: expired };
  if (head.source === 'ai' && isAiPaused(pair, head, now)) return { kind: 'cancel', head, error: aiPaused };
  const until = new Date(head.created_at.getTime() + giveUpAfterMs);
  if (until <= now) return { kind: 'refuse', head, error: errorOfExpired(head) };
  const heldForMs = head.unknown_before ? head.unknown_before.getTime() + unknownHoldMs - now.getTime() : 0;
  if (heldForMs > 0) return postponed(head, heldForMs, 'the outcome of the previous message is unknown');
  if (!channel) return { kind: 'strand', until, reason: 'no channel is connected' };
  if (channel.status === 'needs_attention') {
    return { kind: 'strand', until, reason: `the channel needs attention (${channel.last_error_code ?? 'refused'})` };
  }
  const open = isWindowOpen(replyWindowMsOf(channel), pair, now);
  const refusal = refusalOf(head, pair, open);
  if (refusal) return { kind: 'refuse', head, error: refusal };
  if (channel.paused_until > now) {
    const delayMs = channel.paused_until.getTime() - now.getTime() + random() * 1000;
    return postponed(head, delayMs, `the channel asked for a pause${afterCode(head.error_code)}`);
  }
  if (head.next_attempt_at && head.next_attempt_at > now) {
    const { error_code: code, attempts } = head;
    const reason = code === null ? 'the next message is not due yet' : failedReason(code, attempts);
    return answer(waitUntil(head.next_attempt_at, reason));
  }
  const freeAt = freeAtMs(pair.pair_tat.getTime(), pairRate(channel));
  if (freeAt > now.getTime()) return postponed(head, freeAt - now.getTime(), 'the rate limit for this lead is reached');
  const blocked = situation.blocked();
  if (blocked) {
    const delayMs = delayWhileBlocked(blocked.forMs, random);
    return {
      ...postponed(head, delayMs, `the channel is not called now (${blocked.reason})`),
      blocked: blocked.reason,
    };
  }
  // A message that is only a template has no text to send instead.
  const asTemplate = head.template !== null && (head.kind === 'template' || !open);
  return { kind: 'claim', head, pair, channel, asTemplate };
};

const postponed = (head: HeadRow, delayMs: number, reason: string) => ({
  kind: 'postpone' as const,
  head,
  delayMs: Math.ceil(delayMs),
  reason,
});

/**
 * Also when the pause is over: what the AI wrote before a person did stays unsent. The message with the number of the pause
 * began it: it hands the conversation over.
 */
const isAiPaused = ({ ai_paused_until, ai_pause_number }: PairRow, { number }: HeadRow, now: Date): boolean =>
  (ai_paused_until !== null && ai_paused_until > now && number !== ai_pause_number) ||
  (ai_pause_number !== null && number < ai_pause_number);

/** The error of the last attempt says more than the age. */
const errorOfExpired = ({ error_code, error_detail }: HeadRow) =>
  error_code === null
    ? { code: 'message_expired', detail: 'The message waited for a day. Send it again if it still matters.' }
    : { code: error_code, detail: error_detail ?? '' };

/** A reason not to send that arose after the message was accepted. */
function refusalOf({ source, template }: HeadRow, { opted_out_at, opt_out_stops_api }: PairRow, open: boolean) {
  if (opted_out_at && needsConsent(source, opt_out_stops_api)) {
    return { code: 'lead_opted_out', detail: `The lead has opted out of messages of source \`${source}\`.` };
  }
  if (!template && !open) {
    return { code: 'messaging_window_closed', detail: 'The reply window is closed. Wait until the lead writes again.' };
  }
  return undefined;
}

const afterCode = (code: string | null): string => (code === null ? '' : ` (${code})`);

/** Milliseconds from attempt number `attempts` to the next one. The first delay is 2 s. */
export const delayAfter = ({ retryAfterSeconds }: ChannelError, attempts: number, random?: () => number): number =>
  retryDelayMs({ attempts, firstMs: 2_000, retryAfterSeconds }, random);

/** Milliseconds until the next attempt over a channel whose circuit blocks calls. */
export const delayWhileBlocked = (blockedForMs: number, random?: () => number): number =>
  delayWhileBlockedMs({ blockedForMs, leastMs: 100, leastSpreadMs: 200 }, random);
