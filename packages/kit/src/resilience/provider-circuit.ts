import { stepLimits } from '@mostrador/contracts/workflows';
import { LRUCache } from 'lru-cache';
import type { SystemDatabase } from '../database/database.ts';
import type { Log } from '../process/log.ts';
import type { Registered } from '../process/metrics.ts';
import { inSpan, type Tracing } from '../process/tracing.ts';
import {
  type Blocked,
  type Circuit,
  CircuitOpen,
  type CircuitOptions,
  createCircuit,
  unavailableFor,
} from './circuit.ts';
import { afterOutages, type OriginState, phaseOf, probeMs } from './origin-state.ts';
import { circuitRepository, purgeCircuits, type Read } from './provider-circuit.repository.ts';
import { observeCalls } from './provider-metrics.ts';

/** A store's connection, and the origin (scheme, host and port) of its provider's API. Null: no network is used. */
export type Target = { readonly provider: string; readonly connectionId: string; readonly origin: string | null };

/**
 * Guards the calls to providers. Each connection has a circuit in this process. Each origin has a bulkhead in this
 * process, and a breaker that all processes share: five outages in a row open it, then one call of all processes
 * probes. So a provider that hangs costs at most `callsPerOrigin` and `firstCallsPerOrigin` calls in each process.
 */
export type ProviderCircuit = {
  /** Why no call is made now; null: one is made. Ask once per waiting caller, because an answer can reserve a turn. */
  blocked(target: Target): Blocked | null;
  /** Makes the call, or throws `CircuitOpen` without making it. */
  run<T>(target: Target, call: () => Promise<T>): Promise<T>;
  /** Reports that the provider has answered a call made outside the circuit, and so closes it for all processes. */
  answered(target: Pick<Target, 'origin'>): Promise<void>;
};

export type ProviderCircuitOptions = Omit<CircuitOptions, 'isOutage'> & {
  /**
   * Whether a failure is one of the provider itself: a timeout, a refused connection, a 5xx. False: the provider has
   * answered. Undefined: the failure says nothing about the provider, for example because no call was made. It counts for
   * the connection and for the origin.
   */
  readonly outageOf: (error: unknown) => boolean | undefined;
  /** How many calls to one origin may run at once in this process, over all connections. */
  readonly callsPerOrigin: number;
  /** How many more of them may run, each the only call over its connection: a busy store does not block the others. */
  readonly firstCallsPerOrigin: number;
};

type Shared = {
  readonly systemDatabase: SystemDatabase;
  readonly log: Log;
  readonly metrics?: Registered;
  readonly tracing?: Tracing | undefined;
};

/** A connection whose provider has an origin. */
type Bound = Pick<Target, 'connectionId'> & { readonly origin: string };

/** What this process knows about an origin. */
type Known = {
  state: OriginState | null;
  /** The database's clock minus ours. */
  aheadMs: number;
  /** When the state was read, by our clock. */
  readAtMs: number;
  reading: Promise<void> | undefined;
  /** Increases when this process changes the row, so that an older read is dropped. */
  changes: number;
  /** When the origin last answered this process. */
  answeredAtMs: number;
  /** Outages that are not in the row yet. */
  unreported: number;
  reporting: Promise<void> | undefined;
  /** The connection that has this process's turn to claim the probe. It may ask again before it makes the call. */
  probeTurn: { readonly connectionId: string; readonly untilMs: number } | undefined;
};

const originsKnown = 10_000;
/** A provider that answered another call this recently is up, so an outage of this call does not count. */
const upForMs = 1_000;
/** The row is read at most this often while its origin is in use. */
const freshMs = 1_000;

/** Creates the circuits of one kind of provider. The service has the table of `sql/provider-circuits.sql`. */
export function createProviderCircuit(
  options: ProviderCircuitOptions,
  { systemDatabase, log, metrics, tracing }: Shared,
): ProviderCircuit {
  const { outageOf, callsPerOrigin, firstCallsPerOrigin } = options;
  const observed = observeCalls(metrics);
  const rows = circuitRepository(systemDatabase);
  const connections = createCircuit({ ...options, isOutage: (error) => outageOf(error) === true });
  // Only a bulkhead: the breaker of an origin is its row.
  const origins = createCircuit({ isOutage: () => false, callsAtOnce: callsPerOrigin });
  const firstCalls = createCircuit({ isOutage: () => false, callsAtOnce: firstCallsPerOrigin });
  /** The calls that run, by connection. */
  const running = new Map<string, number>();
  const known = new LRUCache<string, Known>({ max: originsKnown, memoMethod: unknown });

  const phase = ({ state, aheadMs }: Known) => phaseOf(state, Date.now() + aheadMs);
  const failed = (error: unknown) => log.warn({ err: error }, 'the shared state of a provider is not available');

  const slotsOf = ({ connectionId, origin }: Bound): Circuit =>
    !running.has(connectionId) && origins.isFull(origin) && !firstCalls.isFull(origin) ? firstCalls : origins;

  /** Makes the call when the origin has a slot for it, and counts it for its connection. */
  const inSlot = async <T>(target: Bound, call: () => Promise<T>): Promise<T> => {
    const { connectionId, origin } = target;
    const slots = slotsOf(target);
    running.set(connectionId, (running.get(connectionId) ?? 0) + 1);
    try {
      return await slots.run(origin, call);
    } finally {
      const left = (running.get(connectionId) ?? 1) - 1;
      if (left > 0) running.set(connectionId, left);
      else running.delete(connectionId);
    }
  };

  const remember = (entry: Known, { state, nowMs }: Read) =>
    Object.assign(entry, { state, aheadMs: nowMs - Date.now(), readAtMs: Date.now() });

  /** Reads the row. If it cannot be read, the last known state holds. */
  const read = (origin: string, entry: Known): Promise<void> => {
    const { changes } = entry;
    entry.reading ??= rows
      .read(origin)
      .then((found) => void (changes === entry.changes && remember(entry, found)), failed)
      .finally(() => {
        entry.reading = undefined;
        entry.readAtMs = Date.now();
      });
    return entry.reading;
  };

  /** Reads the row unless it was read within the last second. */
  const refresh = (origin: string, entry: Known): Promise<void> =>
    Date.now() - entry.readAtMs < freshMs ? Promise.resolve() : read(origin, entry);

  /** Returns whether this call is the probe. Throws `CircuitOpen` when it must not be made. */
  const enter = async (origin: string, entry: Known): Promise<boolean> => {
    // Another process may have closed an open circuit since, and the caller would wait long for nothing.
    await (phase(entry).kind === 'open' ? read(origin, entry) : refresh(origin, entry));
    const found = phase(entry);
    if (found.kind === 'closed') return false;
    if (found.kind === 'open') throw new CircuitOpen({ reason: 'provider_unavailable', forMs: found.forMs });
    const claimed = await rows.claimProbe(origin, stepLimits.leaseMs).catch(failed);
    // Either way a probe runs now, so the other callers of this process need not try.
    if (entry.state) entry.state = { ...entry.state, probeUntilMs: Date.now() + entry.aheadMs + probeMs };
    if (claimed) return true;
    throw new CircuitOpen({ reason: 'provider_unavailable', forMs: probeMs });
  };

  const addOutages = async (origin: string, entry: Known, count: number, isProbe: boolean): Promise<void> => {
    const wasOpen = phase(entry).kind !== 'closed';
    const after = await rows.change(origin, (state, nowMs) => afterOutages(state, { count, isProbe, nowMs }));
    entry.changes += 1;
    remember(entry, after);
    if (!wasOpen && phase(entry).kind !== 'closed') log.warn({ origin }, 'a provider fails: its circuit is open');
  };

  /** Adds an outage to the row. One statement adds all that came during the one before. */
  const report = (origin: string, entry: Known): Promise<void> => {
    const writeAll = async () => {
      while (entry.unreported > 0 && phase(entry).kind === 'closed') {
        const count = entry.unreported;
        entry.unreported = 0;
        await addOutages(origin, entry, count, false);
      }
    };
    entry.unreported += 1;
    entry.reporting ??= writeAll()
      .catch(failed)
      .finally(() => {
        entry.reporting = undefined;
        entry.unreported = 0;
      });
    return entry.reporting;
  };

  const close = async (origin: string, entry: Known, evenOpen: boolean): Promise<void> => {
    const wasOpen = await rows.remove(origin, { evenOpen }).catch(failed);
    entry.changes += 1;
    entry.state = null;
    if (wasOpen) log.info({ origin }, 'a provider answers again: its circuit is closed');
  };

  const answered = async (origin: string, entry: Known, isProbe: boolean): Promise<void> => {
    entry.answeredAtMs = Date.now();
    const isCounting = entry.state !== null && entry.state.openUntilMs === null;
    if (!isProbe && !isCounting) return;
    await close(origin, entry, isProbe);
  };

  /** The slot of the origin is held until the outcome is in the row, so that no other call starts in its place. */
  const guarded = async <T>(origin: string, { provider, connectionId }: Target, call: () => Promise<T>): Promise<T> => {
    const entry = known.memo(origin);
    const isProbe = await enter(origin, entry);
    try {
      const result = await connections.run(connectionId, () => observed(provider, call));
      await answered(origin, entry, isProbe);
      return result;
    } catch (error) {
      const isOutage = error instanceof CircuitOpen ? undefined : outageOf(error);
      if (isOutage === false) await answered(origin, entry, isProbe);
      else if (isOutage && isProbe) await addOutages(origin, entry, 1, isProbe).catch(failed);
      else if (isProbe) await rows.releaseProbe(origin).catch(failed);
      else if (isOutage && Date.now() - entry.answeredAtMs > upForMs) await report(origin, entry);
      throw error;
    }
  };

  return {
    blocked({ connectionId, origin }) {
      if (origin === null) return null;
      const entry = known.memo(origin);
      void refresh(origin, entry);
      const found = phase(entry);
      if (found.kind === 'open') return unavailableFor(found.forMs);
      if (found.kind === 'due') {
        const taken = entry.probeTurn && entry.probeTurn.untilMs > Date.now();
        if (taken && entry.probeTurn?.connectionId !== connectionId) return unavailableFor(probeMs);
        if (!taken) entry.probeTurn = { connectionId, untilMs: Date.now() + probeMs };
      }
      return connections.blocked(connectionId) ?? slotsOf({ connectionId, origin }).blocked(origin);
    },
    async run(target, call) {
      const { connectionId, origin } = target;
      const made = tracing ? () => inProviderSpan(tracing, connectionId, call) : call;
      if (origin === null) return await made();
      return await inSlot({ connectionId, origin }, () => guarded(origin, target, made));
    },
    async answered({ origin }) {
      if (origin === null) return;
      await close(origin, known.memo(origin), true);
    },
  };
}

/** The call itself, without the wait for its circuit. The provider does not get the trace. */
function inProviderSpan<T>(tracing: Tracing, connectionId: string, call: () => Promise<T>): Promise<T> {
  const attributes = () => ({ 'mostrador.connection_id': connectionId });
  return inSpan(tracing, tracing.follow('client', 'provider call', { attributes }), call);
}

const unknown = (): Known => ({
  state: null,
  aheadMs: 0,
  readAtMs: 0,
  reading: undefined,
  changes: 0,
  answeredAtMs: 0,
  unreported: 0,
  reporting: undefined,
  probeTurn: undefined,
});

const keptForMs = 24 * 3_600_000;

/** Deletes what is known about origins that no process has called for a day. */
export const purgeProviderCircuits = (database: SystemDatabase): Promise<void> =>
  database.write({ deadline: Date.now() + 10_000 }, (sql) => purgeCircuits(sql, { olderThanMs: keptForMs }));
