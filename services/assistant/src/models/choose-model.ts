import type { Agent, HandoverReason, ModelFailureKind, ModelProvider } from '@mostrador/contracts';
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

/** How a provider has failed since the last decision of a turn. A row keeps it. */
export type ProviderFailure = {
  readonly kind: ModelFailureKind;
  /** How often it has failed. */
  readonly times: number;
  /** When it may be asked again, in epoch milliseconds. */
  readonly retry_at: number;
};
export type ProviderFailures = { readonly [P in ModelProvider]?: ProviderFailure };

/** Adds a failure. Pure. The wait that the provider names holds, and without one it doubles. `now`: epoch milliseconds. */
export function withFailure(
  failures: ProviderFailures,
  provider: ModelProvider,
  { kind, retryAfterSeconds = 0 }: Pick<ModelFailure, 'kind' | 'retryAfterSeconds'>,
  now: number,
): ProviderFailures {
  const times = (failures[provider]?.times ?? 0) + 1;
  const retry_at = now + Math.max(retryAfterSeconds * 1000, firstRetryMs * 2 ** (times - 1));
  return { ...failures, [provider]: { kind, times, retry_at } };
}

type Candidate = Pick<ConnectionRow, 'provider'>;

/** The candidate to ask next: one that has not failed, or the one that may be asked again first. Pure. Undefined: none can answer. */
export function nextOf<C extends Candidate>(candidates: readonly C[], failures: ProviderFailures): C | undefined {
  const able = candidates.filter(({ provider }) => !isHopeless(failures[provider]));
  return able.toSorted((a, b) => retryAt(failures[a.provider]) - retryAt(failures[b.provider]))[0];
}

const retryAt = (failure: ProviderFailure | undefined): number => failure?.retry_at ?? 0;

/** What only a person can mend, and what has failed twice with the same messages, does not get better by itself. */
const isHopeless = (failure: ProviderFailure | undefined): boolean =>
  failure !== undefined && (failure.kind === 'rejected' || (failure.kind === 'malformed' && failure.times >= 2));

export type Situation = {
  readonly candidates: readonly Candidate[];
  /** With the one that has just come. */
  readonly failures: ProviderFailures;
  /** Since when the lead has waited, and the time, in epoch milliseconds. */
  readonly waitsSince: number;
  readonly now: number;
};

export type AfterFailure =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'hand_over'; readonly reason: HandoverReason };

/** What follows a failure: the next provider at once, one that has failed after a pause, or a person. Pure. */
export function afterFailure({ candidates, failures, waitsSince, now }: Situation): AfterFailure {
  if (Object.values(failures).some(({ kind }) => kind === 'refused')) {
    return { kind: 'hand_over', reason: 'model_refused' };
  }
  const handOver = { kind: 'hand_over', reason: 'model_unavailable' } as const;
  const next = nextOf(candidates, failures);
  if (!next) return handOver;
  const failure = failures[next.provider];
  if (!failure) return { kind: 'retry', delayMs: 0 };
  const delayMs = Math.max(failure.retry_at - now, 0);
  return now + delayMs - waitsSince > longestWaitMs ? handOver : { kind: 'retry', delayMs };
}
