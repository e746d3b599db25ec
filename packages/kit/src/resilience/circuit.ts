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
import { LRUCache } from 'lru-cache';
import { probeMs } from './origin-state.ts';

/** Why a provider is not called now. The API shows these codes. */
export type BlockedReason = 'provider_unavailable' | 'provider_busy';

/** No call is made for `forMs` milliseconds. */
export type Blocked = { readonly reason: BlockedReason; readonly forMs: number };

/** Keeps a provider that is down or slow from blocking the others. One per process and kind of provider. */
export type Circuit = {
  /**
   * Why this connection accepts no call; null: it accepts one now. Ask once per waiting caller: while the connection
   * is busy, each answer reserves the next turn.
   */
  blocked(connectionId: string): Blocked | null;
  /** As many calls run as may run at once. */
  isFull(connectionId: string): boolean;
  /** Makes the call, or throws `CircuitOpen` without making it. */
  run<T>(connectionId: string, call: () => Promise<T>): Promise<T>;
};

export type CircuitOptions = {
  /** Whether a failure means that the provider is down. A provider that rejects or throttles is up. */
  readonly isOutage: (error: unknown) => boolean;
  /** How many calls over one connection may run at once. */
  readonly callsAtOnce: number;
  /** How long the breaker stays open after five outages in a row. Default 30,000. */
  readonly openMs?: number;
};

/** The call was not made. */
export class CircuitOpen extends Error {
  readonly blocked: Blocked;

  constructor(blocked: Blocked) {
    super(blocked.reason);
    this.name = 'CircuitOpen';
    this.blocked = blocked;
  }
}

const consecutiveFailures = 5;
// The assumed duration of a call before the first measurement, and the weight of a new measurement.
const firstCallMs = 250;
const weightOfNewest = 0.2;
const longestTurnMs = 5 * 60_000;
const soon: Blocked = { reason: 'provider_busy', forMs: 1 };
// An entry takes a few hundred bytes. Dropping one loses only its counts.
const connectionsKnown = 10_000;

/** Null when the time has passed: a call may be made. */
export const unavailableFor = (forMs: number): Blocked | null =>
  forMs > 0 ? { reason: 'provider_unavailable', forMs } : null;

/** A breaker and a bulkhead per connection. Five outages in a row open it for `openMs`; then one call probes. */
export function createCircuit({ openMs = 30_000, ...options }: CircuitOptions): Circuit {
  const entries = new LRUCache<string, ReturnType<typeof createEntry>>({
    max: connectionsKnown,
    memoMethod: () => createEntry({ ...options, openMs }),
  });

  return {
    blocked: (connectionId) => entries.memo(connectionId).blocked(),
    isFull: (connectionId) => entries.memo(connectionId).isFull(),
    async run(connectionId, call) {
      const entry = entries.memo(connectionId);
      // A half-open breaker would make this call wait for the probe, while the caller's lease runs out.
      if (entry.probing()) throw new CircuitOpen(entry.blocked() ?? soon);
      try {
        return await entry.policy.execute(call);
      } catch (error) {
        if (error instanceof BrokenCircuitError || error instanceof BulkheadRejectedError)
          throw new CircuitOpen(entry.blocked() ?? soon);
        throw error;
      }
    },
  };
}

function createEntry({ isOutage, callsAtOnce, openMs }: Required<CircuitOptions>) {
  const slots = bulkhead(callsAtOnce, 0);
  const breaker = circuitBreaker(handleWhen(isOutage), {
    halfOpenAfter: openMs,
    breaker: new ConsecutiveBreaker(consecutiveFailures),
  });
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
   * While all slots are taken, each caller gets its own turn, one expected slot time after the previous turn. Otherwise
   * a thousand waiting callers would all ask again every second.
   */
  function nextTurnMs(): number {
    const now = Date.now();
    lastTurnAt = Math.min(Math.max(lastTurnAt, now) + Math.max(callMs / callsAtOnce, 1), now + longestTurnMs);
    return Math.ceil(lastTurnAt - now);
  }

  return {
    policy: wrap(slots, breaker),
    probing: () => breaker.state === CircuitState.HalfOpen,
    isFull: () => slots.executionSlots === 0,
    blocked(): Blocked | null {
      if (breaker.state === CircuitState.HalfOpen) return unavailableFor(probeMs);
      if (breaker.state === CircuitState.Open) return unavailableFor(openedAt + openMs - Date.now());
      return slots.executionSlots === 0 ? { reason: 'provider_busy', forMs: nextTurnMs() } : null;
    },
  };
}
