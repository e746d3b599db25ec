import type { NextStep } from '@mostrador/contracts/core';
import { stepLimits } from '@mostrador/contracts/workflows';
import { AppError } from '../rpc/errors.ts';
import { toTimestamp } from '../rpc/validate.ts';

export { stepLimits };

// What a step answers its workflow. Operators see the reason, so it holds codes, never a provider's text.

/** Nothing is left to do. The workflow ends. */
export const done = (reason: string): NextStep => ({ done: true, wake_at: null, reason });

/** The workflow runs the step again at this moment, or when a signal comes. */
export const waitUntil = (until: Date, reason: string): NextStep => ({
  done: false,
  wake_at: toTimestamp(until),
  reason,
});

/** Only a signal continues the workflow: from an operator or from another row. */
export const waitForSignal = (reason: string): NextStep => ({ done: false, wake_at: null, reason });

/** The workflow runs the step again at once. Default reason: another process has changed the row. */
export const lookAgain = (reason = 'the row has changed meanwhile'): NextStep => waitUntil(new Date(), reason);

/** The step found the lease of another attempt. */
export const waitForLease = (leaseUntil: Date): NextStep => waitUntil(leaseUntil, 'another attempt is running');

/** The reason of a row that waits after a failed attempt. */
export const failedReason = (code: string, attempts: number): string => `attempt ${attempts} failed (${code})`;

/** Time reserved for recording the outcome of an attempt. */
export const recordingMs = 1_000;

/**
 * How long the provider call of an attempt may take, in milliseconds, within the request's deadline (epoch ms).
 *
 * @throws AppError `service_unavailable` when less than `leastMs` is left: the answer would come too late
 */
export function callTimeMs(
  deadline: number,
  { callMs = stepLimits.callMs, leastMs = 1_000 }: { readonly callMs?: number; readonly leastMs?: number } = {},
): number {
  const leftMs = Math.min(callMs, deadline - Date.now() - recordingMs);
  if (leftMs < leastMs) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
  return leftMs;
}
