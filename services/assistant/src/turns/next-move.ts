import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import { type Move as AnyMove, answer, type NextMove } from '@mostrador/kit/step/retry-engine';
import { done, failedReason, waitForLease, waitUntil } from '@mostrador/kit/step/step';
import type { CallRow } from '../tools/step.ts';
import type { TurnRow } from './turn.ts';

export type Situation = {
  /** The open turn of the lead. */
  readonly turn: TurnRow | undefined;
  /** Its first tool call that has not ended. */
  readonly call?: CallRow | undefined;
  /** Time of the database clock, which also wrote the times of the row. */
  readonly now: Date;
};

type OwnMove =
  /** What the lead wrote is too old to be answered: it ends `silent`. */
  | { readonly kind: 'drop'; readonly turn: TurnRow }
  /** The calls that have not begun are not made: the model decides again. */
  | { readonly kind: 'skip'; readonly call: CallRow; readonly error: 'customer_wrote_more' | 'outcome_unknown' };

/** `decide`: ask the model. `use_tool`: make a call that it asked for. `tell`: give messaging what was decided. */
export type Due =
  | { readonly turn: TurnRow; readonly task: 'decide' | 'tell' }
  | {
      readonly turn: TurnRow;
      readonly task: 'use_tool';
      readonly call: CallRow;
      readonly settles?: NotWanted | undefined;
    };

/** Why a call that has begun is no longer wanted. Its effect may exist, so the call is settled. */
export type NotWanted = 'customer_wrote_more' | 'too_late';

/** After an outage, or after a restore of the databases, people answer what is older than this. */
export const tooLateMs = 15 * 60_000;

/** The owning services know the key of a call for 24 hours. */
export const repeatableMs = 12 * 60 * 60_000;

/** Decides about the open turn of a lead. */
export const nextMove: NextMove<Situation, AnyMove<Due, OwnMove>> = ({ turn, call, now }) => {
  if (!turn) return answer(done('no turn is open'));
  if (turn.lease_until && turn.lease_until > now) return answer(waitForLease(turn.lease_until));
  // What was decided may have reached messaging already, and only messaging knows.
  if (turn.action !== null) return waiting({ turn, now }) ?? { kind: 'claim', turn, task: 'tell' };
  if (call?.begun_at) {
    if (now.getTime() - call.begun_at.getTime() > repeatableMs) return { kind: 'skip', call, error: 'outcome_unknown' };
    const settles = notWanted({ turn, now });
    return waiting({ turn, now }) ?? { kind: 'claim', turn, task: 'use_tool', call, settles };
  }
  if (isTooLate({ turn, now })) return { kind: 'drop', turn };
  const waits = waiting({ turn, now });
  if (waits) return waits;
  if (!call) return { kind: 'claim', turn, task: 'decide' };
  if (hasMore(turn)) return { kind: 'skip', call, error: 'customer_wrote_more' };
  return { kind: 'claim', turn, task: 'use_tool', call };
};

type At = { readonly turn: TurnRow; readonly now: Date };

const isTooLate = ({ turn, now }: At): boolean => now.getTime() - turn.last_received_at.getTime() > tooLateMs;

const hasMore = ({ answered_to, last_received_at }: TurnRow): boolean =>
  answered_to !== null && last_received_at > answered_to;

function notWanted(at: At): NotWanted | undefined {
  if (isTooLate(at)) return 'too_late';
  return hasMore(at.turn) ? 'customer_wrote_more' : undefined;
}

function waiting({ turn, now }: At) {
  const { next_attempt_at, error_code, attempts } = turn;
  if (!next_attempt_at || next_attempt_at <= now) return undefined;
  return answer(waitUntil(next_attempt_at, error_code === null ? quiet : failedReason(error_code, attempts)));
}

export const quiet = 'the lead may write more';

/** Milliseconds between attempt number `attempts` and the next one: 1 s, doubled each time, at most 1 minute. */
export const delayAfter = (attempts: number, random?: () => number): number =>
  retryDelayMs({ attempts, firstMs: 1_000, longestMs: 60_000 }, random);
