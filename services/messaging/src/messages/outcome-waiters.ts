import type { Log } from '@mostrador/kit/process/log';
import { isConnected, type NatsConnection } from '@mostrador/kit/rpc/nats';

/** All processes of this service publish the id of a message here after they recorded its outcome. */
const outcomeSubject = 'messaging.notice.outcome';

/**
 * Lets requests wait for the outcome of a message that another process may record. A notification can get lost, so the
 * caller reads the row before and after the wait.
 */
export type OutcomeWaiters = {
  /**
   * Resolves when the outcome is announced, at `untilMs` (epoch milliseconds) or when the signal aborts. Resolves at
   * once when `most` requests wait already.
   */
  wait(messageId: string, untilMs: number, signal?: AbortSignal): Promise<void>;
  /** Notifies all processes. Call it after the commit that recorded the outcome. */
  announce(messageId: string): void;
  /** The number of waiting requests in this process. */
  waiting(): number;
};

export type OutcomeWaitersOptions = {
  readonly nats: NatsConnection;
  readonly log: Log;
  /** The number of requests that may wait at once in this process. */
  readonly most: number;
};

export function createOutcomeWaiters({ nats, log, most }: OutcomeWaitersOptions): OutcomeWaiters {
  const waiters = new Map<string, Set<() => void>>();
  let count = 0;

  const wake = (messageId: string) => {
    for (const resolve of waiters.get(messageId) ?? []) resolve();
  };
  nats.subscribe(outcomeSubject, {
    callback: (error, message) => {
      if (error) log.error({ err: error, subject: outcomeSubject }, 'a subscription failed');
      else wake(message.string());
    },
  });

  return {
    wait(messageId, untilMs, signal) {
      const limitMs = untilMs - Date.now();
      if (limitMs <= 0 || signal?.aborted || count >= most) return Promise.resolve();
      count += 1;
      return new Promise<void>((resolve) => {
        const waiting = waiters.get(messageId) ?? new Set();
        waiters.set(messageId, waiting);
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          if (!waiting.delete(end)) return;
          if (waiting.size === 0) waiters.delete(messageId);
          count -= 1;
          resolve();
        };
        const timer = setTimeout(end, limitMs);
        signal?.addEventListener('abort', end);
        waiting.add(end);
      });
    },
    announce(messageId) {
      // Without NATS, the requests in this process are still notified.
      wake(messageId);
      if (isConnected(nats)) nats.publish(outcomeSubject, messageId);
    },
    waiting: () => count,
  };
}
