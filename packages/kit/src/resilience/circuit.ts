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

/** Keeps a provider that is down or slow from blocking the others. One per process and kind of provider. */
export type Circuit = {
  /**
   * For how many milliseconds this connection accepts no call; 0: it accepts one now. Ask once per waiting caller:
   * while the connection is busy, each answer reserves the next turn.
   */
  blockedForMs(connectionId: string): number;
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

/** The call was not made. `blockedForMs` says when to ask again. */
export class CircuitOpen extends Error {}

const consecutiveFailures = 5;
// The assumed duration of a call before the first measurement, and the weight of a new measurement.
const firstCallMs = 250;
const weightOfNewest = 0.2;
const longestTurnMs = 5 * 60_000;
const probeMs = 5_000;
// An entry takes a few hundred bytes. Dropping one loses only its counts.
const connectionsKnown = 10_000;

/** A breaker and a bulkhead per connection. Five outages in a row open it for `openMs`; then one call probes. */
export function createCircuit({ openMs = 30_000, ...options }: CircuitOptions): Circuit {
  const entries = new Map<string, ReturnType<typeof createEntry>>();

  const entryOf = (connectionId: string) => {
    const entry = entries.get(connectionId) ?? createEntry({ ...options, openMs });
    entries.delete(connectionId);
    entries.set(connectionId, entry); // the map is in order of use, newest last
    const [oldest] = entries.keys();
    if (entries.size > connectionsKnown && oldest !== undefined) entries.delete(oldest);
    return entry;
  };

  return {
    blockedForMs: (connectionId) => entryOf(connectionId).blockedForMs(),
    async run(connectionId, call) {
      const entry = entryOf(connectionId);
      // A half-open breaker would make this call wait for the probe, while the caller's lease runs out.
      if (entry.probing()) throw new CircuitOpen();
      try {
        return await entry.policy.execute(call);
      } catch (error) {
        if (error instanceof BrokenCircuitError || error instanceof BulkheadRejectedError) throw new CircuitOpen();
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
    blockedForMs() {
      if (breaker.state === CircuitState.Open) return Math.max(0, openedAt + openMs - Date.now());
      if (breaker.state === CircuitState.HalfOpen) return probeMs;
      return slots.executionSlots === 0 ? nextTurnMs() : 0;
    },
  };
}
