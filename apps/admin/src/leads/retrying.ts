import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@mostrador/kit/rpc/errors';

/** The platform did not answer within the time limit, or Ctrl-C stopped the retries. */
export class PlatformAway extends Error {}

export type Retrying = {
  /** Retries stop after this many milliseconds without any answer. */
  readonly giveUpAfterMs: number;
  /** Retries stop when this signal aborts. */
  readonly signal: AbortSignal;
  /** Called before each retry. */
  readonly onRetry: (error: AppError) => void;
};

/**
 * Returns a function that retries an idempotent call with backoff while the platform does not answer. The time limit
 * counts from the last answer to any call. Throws PlatformAway.
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
        if (signal.aborted || Date.now() - lastAnswer > giveUpAfterMs)
          throw new PlatformAway(error.detail, { cause: error });
        onRetry(error);
        const waitMs = Math.min(5_000, 250 * 2 ** (attempt - 1)) * (0.8 + Math.random() * 0.2);
        await pause(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  };
}
