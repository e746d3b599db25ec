import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@mostrador/kit/rpc/errors';

/** Nothing was answered for as long as one was willing to wait. */
export class PlatformAway extends Error {}

export type Retrying = {
  /** Gives up when nothing at all was answered for so long, in milliseconds. */
  readonly giveUpAfterMs: number;
  /** Aborted: nothing is sent again. */
  readonly signal: AbortSignal;
  /** A call is going to be made again. */
  readonly onRetry: (error: AppError) => void;
};

/**
 * Makes a sender that sends again, at growing intervals, while the platform does not answer. For calls that are safe to
 * repeat. The limit counts from the last answer that any call got.
 */
export function createRetrying({ giveUpAfterMs, signal, onRetry }: Retrying) {
  let lastAnswer = Date.now();
  return async <T>(call: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await call();
        lastAnswer = Date.now();
        return answer;
      } catch (error) {
        if (!(error instanceof AppError) || !error.retryable) throw error;
        if (signal.aborted || Date.now() - lastAnswer > giveUpAfterMs) throw new PlatformAway(error.detail);
        onRetry(error);
        const waitMs = Math.min(5_000, 250 * 2 ** (attempt - 1)) * (0.8 + Math.random() * 0.2);
        await pause(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  };
}
