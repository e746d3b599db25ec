import { isConnected, type NatsConnection } from '@mostrador/kit/clients/nats';
import type { Log } from '@mostrador/kit/process/log';

/** Tells of a message whose outcome has been recorded; between all processes of this service. */
const outcomeSubject = 'messaging.notice.outcome';

/**
 * Requests that wait for the outcome of a message, which another process may record. A notice is a hint and may be lost:
 * who waits looks at the row before and after.
 */
export type OutcomeWaiters = {
  /**
   * Resolves when the outcome is announced, at `untilMs` (epoch), or when the signal comes. At once when too many wait
   * already.
   */
  wait(messageId: string, untilMs: number, signal?: AbortSignal): Promise<void>;
  /** After the commit that recorded the outcome. */
  announce(messageId: string): void;
  /** How many wait. */
  waiting(): number;
};

export type OutcomeWaitersOptions = {
  readonly nats: NatsConnection;
  readonly log: Log;
  /** How many may wait at once in this process. */
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
      // Its own subscription hears it too; without NATS at least those who wait here do.
      wake(messageId);
      if (isConnected(nats)) nats.publish(outcomeSubject, messageId);
    },
    waiting: () => count,
  };
}
