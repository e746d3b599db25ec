import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import { type Move as AnyMove, answer, type NextMove } from '@mostrador/kit/step/retry-engine';
import { done, failedReason, waitForLease, waitUntil } from '@mostrador/kit/step/step';
import type { TurnRow } from './turn.ts';

export type Situation = {
  /** The open turn of the lead. */
  readonly turn: TurnRow | undefined;
  /** Time of the database clock, which also wrote the times of the row. */
  readonly now: Date;
};

type OwnMove =
  /** What the lead wrote is too old to be answered: it ends `silent`. */
  { readonly kind: 'drop'; readonly turn: TurnRow };

/** `decide`: ask the model. `tell`: give messaging what was decided. */
export type Due = { readonly turn: TurnRow; readonly task: 'decide' | 'tell' };

/** After an outage, or after a restore of the databases, people answer what is older than this. */
export const tooLateMs = 15 * 60_000;

/** Decides about the open turn of a lead. */
export const nextMove: NextMove<Situation, AnyMove<Due, OwnMove>> = ({ turn, now }) => {
  if (!turn) return answer(done('no turn is open'));
  if (turn.lease_until && turn.lease_until > now) return answer(waitForLease(turn.lease_until));
  // What was decided may have reached messaging already, and only messaging knows.
  if (turn.action !== null) return waiting({ turn, now }) ?? { kind: 'claim', turn, task: 'tell' };
  if (now.getTime() - turn.last_received_at.getTime() > tooLateMs) return { kind: 'drop', turn };
  return waiting({ turn, now }) ?? { kind: 'claim', turn, task: 'decide' };
};

function waiting({ turn, now }: { turn: TurnRow; now: Date }) {
  const { next_attempt_at, error_code, attempts } = turn;
  if (!next_attempt_at || next_attempt_at <= now) return undefined;
  return answer(waitUntil(next_attempt_at, error_code === null ? quiet : failedReason(error_code, attempts)));
}

export const quiet = 'the lead may write more';

/** Milliseconds between attempt number `attempts` and the next one: 1 s, doubled each time, at most 1 minute. */
export const delayAfter = (attempts: number, random?: () => number): number =>
  retryDelayMs({ attempts, firstMs: 1_000, longestMs: 60_000 }, random);
