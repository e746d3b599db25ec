import { retryDelayMs } from './retry-delay.ts';

/** What all processes know about a provider's origin. Times are of the database's clock, in epoch milliseconds. */
export type OriginState = {
  /** Outages in a row. */
  readonly failures: number;
  /** No process calls the origin before this moment; null: the circuit is closed. */
  readonly openUntilMs: number | null;
  /** The lease of the one call that probes. */
  readonly probeUntilMs: number | null;
  /** When the circuit opened. */
  readonly sinceMs: number | null;
};

/** The number of outages in a row that open the circuit of an origin. */
export const outagesToOpen = 5;

const firstOpenMs = 30_000;
const longestOpenMs = 60_000;

/** How often a caller that found a probe running asks for its result. */
export const probeMs = 5_000;

/** Whether calls may be made: all, none for `forMs`, or one that probes. */
export type Phase = { readonly kind: 'closed' | 'due' } | { readonly kind: 'open'; readonly forMs: number };

export function phaseOf(state: OriginState | null, nowMs: number): Phase {
  if (!state || state.openUntilMs === null) return { kind: 'closed' };
  if (state.openUntilMs > nowMs) return { kind: 'open', forMs: state.openUntilMs - nowMs };
  const probingForMs = (state.probeUntilMs ?? 0) - nowMs;
  return probingForMs > 0 ? { kind: 'open', forMs: Math.min(probingForMs, probeMs) } : { kind: 'due' };
}

/**
 * The state after `count` outages. The circuit stays open for 30 s, and for 60 s after a failed probe, with jitter.
 * Outages of calls from before it opened change nothing.
 */
export function afterOutages(
  state: OriginState,
  { count, isProbe, nowMs }: { readonly count: number; readonly isProbe: boolean; readonly nowMs: number },
  random?: () => number,
): OriginState {
  if (state.openUntilMs !== null && !isProbe) return state;
  const failures = isProbe ? state.failures + 1 : Math.min(state.failures + count, outagesToOpen);
  if (failures < outagesToOpen) return { failures, openUntilMs: null, probeUntilMs: null, sinceMs: null };
  const attempts = failures - outagesToOpen + 1;
  const openMs = retryDelayMs({ attempts, firstMs: firstOpenMs, longestMs: longestOpenMs }, random);
  return { failures, openUntilMs: nowMs + openMs, probeUntilMs: null, sinceMs: state.sinceMs ?? nowMs };
}
