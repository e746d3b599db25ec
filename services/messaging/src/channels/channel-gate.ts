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
import type { ChannelRow } from './channel.repository.ts';
import { ChannelError } from './channel-provider.ts';

/** Keeps a channel that is down or slow from taking up what the others need. One per process. */
export type ChannelGate = {
  /** For how many milliseconds nothing may be asked of this channel; 0: it may be asked now. */
  closedForMs(channelId: string): number;
  /** Makes a call, or throws `GateClosed` without making it. */
  run<T>(channelId: string, call: () => Promise<T>): Promise<T>;
};

export class GateClosed extends Error {}

const consecutiveFailures = 5;
// At 200 ms a call this is the throughput that a number has.
const callsAtOnce = 16;
const busyMs = 250;
const probeMs = 5_000;
// An entry is a few hundred bytes and costs nothing to lose but what it has counted.
const channelsKnown = 10_000;

/**
 * After five outages in a row nothing is asked of the channel for `openMs`; then one message finds out. Only outages
 * count: a channel that refuses or throttles is there.
 */
export function createChannelGate({ openMs = 30_000 }: { openMs?: number } = {}): ChannelGate {
  const entries = new Map<string, ReturnType<typeof createEntry>>();

  const entryOf = (channelId: string) => {
    const entry = entries.get(channelId) ?? createEntry(openMs);
    entries.delete(channelId);
    entries.set(channelId, entry); // the last one in the order of use
    const [oldest] = entries.keys();
    if (entries.size > channelsKnown && oldest !== undefined) entries.delete(oldest);
    return entry;
  };

  return {
    closedForMs: (channelId) => entryOf(channelId).closedForMs(),
    async run(channelId, call) {
      const entry = entryOf(channelId);
      // A half-open breaker would make this wait for the message that finds out, and the lease would run on.
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

/** Whether a channel lies beyond a network. The sandbox is a table of ours, and bounded as such. */
export const isGuarded = ({ provider }: Pick<ChannelRow, 'provider'>): boolean => provider !== 'sandbox';

const isOutage = (error: unknown): boolean =>
  !(error instanceof ChannelError) || error.kind === 'not_sent' || error.kind === 'ambiguous';

function createEntry(openMs: number) {
  const slots = bulkhead(callsAtOnce, 0);
  const breaker = circuitBreaker(handleWhen(isOutage), {
    halfOpenAfter: openMs,
    breaker: new ConsecutiveBreaker(consecutiveFailures),
  });
  let openedAt = 0;
  breaker.onBreak(() => {
    openedAt = Date.now();
  });
  return {
    policy: wrap(slots, breaker),
    probing: () => breaker.state === CircuitState.HalfOpen,
    closedForMs() {
      if (breaker.state === CircuitState.Open) return Math.max(0, openedAt + openMs - Date.now());
      if (breaker.state === CircuitState.HalfOpen) return probeMs;
      return slots.executionSlots === 0 ? busyMs : 0;
    },
  };
}
