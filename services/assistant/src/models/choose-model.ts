import type { Agent, HandoverReason } from '@mostrador/contracts';
import type { ConnectionRow } from './model-connection.repository.ts';
import type { ModelFailure } from './model-failure.ts';

/** After this, a person answers rather than the lead waits. */
const longestWaitMs = 2 * 60_000;
const firstRetryMs = 2_000;

/**
 * The connections that may answer for an agent, the first choice first. `connections`: the default of the store first.
 * Pure. The demo model answers only where it is the first choice: it does not stand in for a real one.
 */
export function candidatesOf<C extends Pick<ConnectionRow, 'provider'>>(
  connections: readonly C[],
  model: Agent['model'],
): readonly C[] {
  const ordered = connections.toSorted((a, b) => Number(b.provider === model) - Number(a.provider === model));
  return ordered.filter(({ provider }, place) => place === 0 || provider !== 'demo');
}

/** The connection of an attempt: each attempt after a failure asks the next one. Pure. `attempt`: from 1. */
export const candidateOf = <C>(candidates: readonly C[], attempt: number): C | undefined =>
  candidates[(attempt - 1) % candidates.length];

export type Situation = {
  readonly failure: Pick<ModelFailure, 'kind' | 'retryAfterSeconds'>;
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  readonly candidates: number;
  /** For how long the lead has waited since the last message, in milliseconds. */
  readonly waitedMs: number;
};

export type AfterFailure =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'hand_over'; readonly reason: HandoverReason };

/** What follows a failure: the next provider at once, another round after a pause, or a person. Pure. */
export function afterFailure({ failure, attempt, candidates, waitedMs }: Situation): AfterFailure {
  if (failure.kind === 'refused') return { kind: 'hand_over', reason: 'model_refused' };
  const handOver = { kind: 'hand_over', reason: 'model_unavailable' } as const;
  if (attempt % candidates !== 0) return { kind: 'retry', delayMs: 0 };
  // What only a person can mend, and what has failed twice with the same messages, does not get better by itself.
  const rounds = attempt / candidates;
  if (failure.kind === 'rejected' || (failure.kind === 'malformed' && rounds >= 2)) return handOver;
  const delayMs = Math.max((failure.retryAfterSeconds ?? 0) * 1000, firstRetryMs * 2 ** (rounds - 1));
  return waitedMs + delayMs > longestWaitMs ? handOver : { kind: 'retry', delayMs };
}
