import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  wrap,
} from 'cockatiel';
import { toCalendarError } from './sync-attempt.ts';

/** Keeps a calendar that is down or slow from taking up what the others need. One per process. */
export type CalendarGate = {
  /**
   * For how many milliseconds nothing may be asked of this connection's calendar; 0: it may be asked now. Ask once for
   * each who waits: while the calendar is busy each answer is the next turn.
   */
  closedForMs(connectionId: string): number;
  /** Makes a call, or throws `GateClosed` without making it. */
  run<T>(connectionId: string, call: () => Promise<T>): Promise<T>;
};

export class GateClosed extends Error {}

const consecutiveFailures = 5;
const callsAtOnce = 4;
// How long a call is taken to last before one has been measured, and how much a new measurement counts.
const firstCallMs = 250;
const weightOfNewest = 0.2;
const longestTurnMs = 5 * 60_000;
const probeMs = 5_000;
// An entry is a few hundred bytes and costs nothing to lose but what it has counted.
const connectionsKnown = 10_000;

/**
 * After five outages in a row nothing is asked of the calendar for `openMs`; then one attempt finds out. Only outages
 * count: a calendar that refuses or throttles is there.
 */
export function createCalendarGate({ openMs = 30_000 }: { openMs?: number } = {}): CalendarGate {
  const entries = new Map<string, ReturnType<typeof createEntry>>();

  const entryOf = (connectionId: string) => {
    const entry = entries.get(connectionId) ?? createEntry(openMs);
    entries.delete(connectionId);
    entries.set(connectionId, entry); // the last one in the order of use
    const [oldest] = entries.keys();
    if (entries.size > connectionsKnown && oldest !== undefined) entries.delete(oldest);
    return entry;
  };

  return {
    closedForMs: (connectionId) => entryOf(connectionId).closedForMs(),
    async run(connectionId, call) {
      const entry = entryOf(connectionId);
      // A half-open breaker would make this wait for the attempt that finds out, and the lease would run on.
      if (entry.probing()) throw new GateClosed();
      try {
        return await entry.policy.execute(call);
      } catch (error) {
        if (error instanceof BrokenCircuitError || error instanceof BulkheadRejectedError) throw new GateClosed();
        throw error;
      }
    },
  };
}

function createEntry(openMs: number) {
  const slots = bulkhead(callsAtOnce, 0);
  const breaker = circuitBreaker(
    handleWhen((error) => toCalendarError(error).kind === 'unavailable'),
    { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(consecutiveFailures) },
  );
  let openedAt = 0;
  breaker.onBreak(() => {
    openedAt = Date.now();
  });
  let callMs = firstCallMs;
  let lastTurnAt = 0;
  breaker.onSuccess(({ duration }) => {
    callMs += (duration - callMs) * weightOfNewest;
  });

  /**
   * Each who finds all slots taken gets a turn of its own, as far behind the one before as a slot takes to become free.
   * Without that a thousand that wait would all ask again every second.
   */
  function nextTurnMs(): number {
    const now = Date.now();
    lastTurnAt = Math.min(Math.max(lastTurnAt, now) + Math.max(callMs / callsAtOnce, 1), now + longestTurnMs);
    return Math.ceil(lastTurnAt - now);
  }

  return {
    policy: wrap(slots, breaker),
    probing: () => breaker.state === CircuitState.HalfOpen,
    closedForMs() {
      if (breaker.state === CircuitState.Open) return Math.max(0, openedAt + openMs - Date.now());
      if (breaker.state === CircuitState.HalfOpen) return probeMs;
      return slots.executionSlots === 0 ? nextTurnMs() : 0;
    },
  };
}
