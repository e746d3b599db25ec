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

/** Keeps a provider that is down or slow from taking up what the others need. One per process and kind of provider. */
export type Circuit = {
  /**
   * For how many milliseconds nothing may be asked over this connection; 0: it may be asked now. Ask once for each who
   * waits: while the connection is busy each answer is the next turn.
   */
  blockedForMs(connectionId: string): number;
  /** Makes a call, or throws `CircuitOpen` without making it. */
  run<T>(connectionId: string, call: () => Promise<T>): Promise<T>;
};

export type CircuitOptions = {
  /** Whether a failure says that the provider is not there. One that refuses or throttles is there. */
  readonly isOutage: (error: unknown) => boolean;
  /** How many calls over one connection may run at once. */
  readonly callsAtOnce: number;
  /** How long nothing is asked after five outages in a row. */
  readonly openMs?: number;
};

/** Nothing was called: `blockedForMs` says when to ask again. */
export class CircuitOpen extends Error {}

const consecutiveFailures = 5;
// How long a call is taken to last before one has been measured, and how much a new measurement counts.
const firstCallMs = 250;
const weightOfNewest = 0.2;
const longestTurnMs = 5 * 60_000;
const probeMs = 5_000;
// An entry is a few hundred bytes and costs nothing to lose but what it has counted.
const connectionsKnown = 10_000;

/** A breaker and a bulkhead for each connection: after five outages in a row it is closed for `openMs`, then one call finds out. */
export function createCircuit({ openMs = 30_000, ...options }: CircuitOptions): Circuit {
  const entries = new Map<string, ReturnType<typeof createEntry>>();

  const entryOf = (connectionId: string) => {
    const entry = entries.get(connectionId) ?? createEntry({ ...options, openMs });
    entries.delete(connectionId);
    entries.set(connectionId, entry); // the last one in the order of use
    const [oldest] = entries.keys();
    if (entries.size > connectionsKnown && oldest !== undefined) entries.delete(oldest);
    return entry;
  };

  return {
    blockedForMs: (connectionId) => entryOf(connectionId).blockedForMs(),
    async run(connectionId, call) {
      const entry = entryOf(connectionId);
      // A half-open breaker would make this wait for the call that finds out, and a lease would run on.
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
    blockedForMs() {
      if (breaker.state === CircuitState.Open) return Math.max(0, openedAt + openMs - Date.now());
      if (breaker.state === CircuitState.HalfOpen) return probeMs;
      return slots.executionSlots === 0 ? nextTurnMs() : 0;
    },
  };
}
