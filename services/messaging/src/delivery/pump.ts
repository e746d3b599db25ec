import { setImmediate as afterEvents } from 'node:timers/promises';
import { deliveryShardOf } from '@mostrador/contracts/workflows';
import type { Log } from '@mostrador/kit/process/log';
import type { Dependencies, Pump } from '../dependencies.ts';
import { type Advanced, advanceStore, type Ended } from './advance-store.ts';
import { callProvider } from './call-provider.ts';
import { createCallRoom } from './call-room.ts';
import type { Claimed } from './claim-next.ts';
import { claimOf } from './claim-of.ts';
import { shareOfConnections } from './connection-share.ts';
import type { DeliveryNotices } from './delivery-notices.ts';
import type { Outcome } from './record-outcome.ts';
import { type Fence, findDueLeads } from './shard.repository.ts';
import { recordSurely, transact } from './transact.ts';
import { createTurns, type Turns } from './turns.ts';

type PumpDependencies = Pick<
  Dependencies,
  'database' | 'systemDatabase' | 'rpc' | 'outcomes' | 'relay' | 'circuit' | 'openChannel' | 'limits'
> & { readonly notices: DeliveryNotices; readonly log: Log };

type Store = {
  readonly id: string;
  /** The leads whose next message may be due, in the order in which they were told. */
  readonly ready: Set<string>;
  /** Those of `ready` with a new message. */
  readonly fresh: Set<string>;
  /** The leads whose conversation another transaction holds, and how often it was found so. */
  readonly locked: Map<string, number>;
  /** The leads with a call under way, or with an outcome that is not recorded yet. */
  readonly calling: Set<string>;
  /** How many transactions are under way. Meanwhile the pump must not forget the store: their claims are called in it. */
  working: number;
  ended: Ended[];
  /** When the outcomes of `ended` are recorded, though others may follow at once. */
  collecting: NodeJS.Timeout | undefined;
  /** More leads may be due than were read. */
  hasMore: boolean;
};

type Shard = { readonly stores: Map<string, Store>; session: Session | undefined };

/** One request of a shard's step. */
type Session = Fence & {
  readonly untilMs: number;
  worked: boolean;
  replaced: boolean;
  readonly timers: Set<NodeJS.Timeout>;
  /** Ends the session. */
  readonly end: () => void;
};

/**
 * As many calls of all stores at once: twice as many as to one provider, so that one that hangs leaves room for the others.
 * The first call of a store may come on top.
 */
const callsOfProcess = 48;
const callsOfFirst = 16;
/** So long an outcome waits for those of the calls beside it: one transaction for all costs little more than one for each. */
const collectMs = 5;
/** How often a set looks at a conversation that another transaction holds, and how long it waits in between. */
const looksAtLocked = 5;
const lookAgainMs = 20;
/** As many leads of a shard at once whose next step is no matter of sets. */
const aloneAtOnce = 4;
/** About as many leads of all stores of a shard are read at once, and as many of one. */
const readOfShard = 400;
const readOfStore = 50;
const workLimitMs = 5_000;
const pauseAfterFailureMs = 1_000;
/** The outcome of a claim whose commit failed or was not answered: if it holds, the message is due again. */
const notCalled: Outcome = { kind: 'not_called', blocked: { reason: 'provider_busy', forMs: 1 } };

/** Something under way may change which message of the store is due. */
const isBusy = ({ calling, working }: Store): boolean => calling.size + working > 0;
const hasBusyStore = ({ stores }: Shard): boolean => [...stores.values()].some(isBusy);

export function createPump(dependencies: PumpDependencies): Pump {
  const { systemDatabase, relay, limits, circuit, notices, log } = dependencies;
  const shards = new Map<number, Shard>();
  const working = new Set<Promise<void>>();
  const share = shareOfConnections(dependencies.database.stats().size);
  const turns = createTurns(share.turns);
  const alone = new Map<number, Turns>();
  const stopping = new AbortController();
  const calls = createCallRoom({ ofStore: limits.callsAtOnce, ofProcess: callsOfProcess, ofFirst: callsOfFirst });
  /** The leads that wait for a transaction of their own. Each is sure of its call. */
  const waitingAlone = new Set<string>();
  let first = 0;

  const hold = (store: Store, leadId: string): void => {
    if (!store.calling.has(leadId)) calls.begin(store.id, 1);
    store.calling.add(leadId);
  };
  const release = (store: Store, leadId: string): void => {
    if (store.calling.delete(leadId)) calls.end(store.id, 1);
  };
  const isNew = (store: Store): boolean => store.fresh.size > 0;
  const roomFor = (store: Store): number => calls.roomFor(store.id, isNew(store));
  /** The stores whose turn has come go on. */
  const letOn = (): void => {
    for (const storeId of calls.letOn()) {
      const shard = shardAt(deliveryShardOf(storeId));
      takeTurn(shard, storeOf(shard, storeId));
    }
  };

  /** Never rejects. */
  const track = (work: Promise<void>): Promise<void> => {
    const tracked = work
      .catch((error) => log.warn({ err: error }, 'a delivery was interrupted: it goes on when its lease has ended'))
      .finally(() => working.delete(tracked));
    working.add(tracked);
    return tracked;
  };

  const shardAt = (number: number): Shard => {
    const known = shards.get(number);
    if (known) return known;
    const shard: Shard = { stores: new Map(), session: undefined };
    shards.set(number, shard);
    return shard;
  };

  const storeOf = (shard: Shard, id: string): Store => {
    const known = shard.stores.get(id);
    if (known) return known;
    const store: Store = {
      id,
      ready: new Set(),
      fresh: new Set(),
      locked: new Map(),
      calling: new Set(),
      working: 0,
      ended: [],
      collecting: undefined,
      hasMore: false,
    };
    shard.stores.set(id, store);
    return store;
  };

  /** A lead of the store may be due. */
  const offer = (shard: Shard, storeId: string, leadId: string, hasNew: boolean): void => {
    if (!shard.session) return;
    const store = storeOf(shard, storeId);
    shard.session.worked = true;
    // Its next message is looked at when the outcome is recorded.
    if (store.calling.has(leadId)) return;
    store.ready.add(leadId);
    if (hasNew) store.fresh.add(leadId);
    takeTurn(shard, store);
  };

  function takeTurn(shard: Shard, store: Store): void {
    const isReady = shard.session !== undefined && store.ready.size > 0 && !calls.isFull(store.id);
    if (store.ended.length > 0 || (isReady && roomFor(store) > 0)) {
      turns.take(store.id, () => workOn(shard, store, () => advance(shard, store)), isNew(store));
      return;
    }
    const hadTurn = calls.pass(store.id);
    if (isReady) calls.wait(store.id, isNew(store), store.ready.size);
    else if (!shard.session && !isBusy(store)) shard.stores.delete(store.id);
    if (isReady || hadTurn) letOn();
  }

  /** Counts the work as a transaction of the store, then looks what is next. Never rejects. */
  const workOn = (shard: Shard, store: Store, work: () => Promise<void>): Promise<void> => {
    store.working += 1;
    return track(work()).finally(() => {
      store.working -= 1;
      takeTurn(shard, store);
    });
  };

  /** One transaction for the store. */
  async function advance(shard: Shard, store: Store): Promise<void> {
    const { session } = shard;
    const ended = store.ended.splice(0);
    for (const { claimed } of ended) release(store, claimed.message.lead_id);
    const room = roomFor(store);
    if (room > 0) calls.pass(store.id);
    const mostFirst = isNew(store) ? share.firstOfNew : share.first;
    const leads = session ? [...store.ready].slice(0, room) : [];
    for (const leadId of leads) {
      store.ready.delete(leadId);
      store.fresh.delete(leadId);
    }
    if (ended.length + leads.length === 0) {
      letOn();
      return;
    }
    const isFirst = first < mostFirst;
    const scope = { storeId: store.id, deadline: Date.now() + workLimitMs, isFirst };
    if (isFirst) first += 1;
    const begun = Math.min(room, leads.length + ended.length);
    calls.begin(store.id, begun);
    // What its turn has left.
    letOn();
    let claims: readonly Claimed[] = [];
    try {
      const work = { ended, leads, fence: session, room };
      const advanced = await transact(dependencies, scope, async (sql, settled) => {
        const made = await advanceStore(sql, store.id, work, { circuit, limits }, settled);
        claims = made.claimed;
        return made;
      });
      if (advanced.isReplaced) replace(session);
      if (ended.length > 0) relay.nudge();
      begin(shard, store, advanced);
      // Nothing was claimed for them, and the session that runs now may have looked before the commit.
      if (!session || advanced.isReplaced) {
        for (const { claimed } of ended) notices.publish(store.id, claimed.message.lead_id);
      }
    } catch (error) {
      log.warn({ err: error, store_id: store.id }, 'a set of messages could not be advanced');
      for (const each of ended) recordAlone(shard, store, each);
      for (const claimed of claims) recordAlone(shard, store, { claimed, outcome: notCalled });
      later(shard, pauseAfterFailureMs, () => {
        for (const leadId of leads) offer(shard, store.id, leadId, false);
      });
    } finally {
      if (isFirst) first -= 1;
      calls.end(store.id, begun);
      letOn();
    }
    if (session === shard.session && store.hasMore && store.ready.size < limits.callsAtOnce) await read(shard, store);
  }

  function begin(shard: Shard, store: Store, advanced: Advanced): void {
    const { claimed, waits, left, locked, endedAlone, leadsAlone } = advanced;
    for (const each of claimed) call(shard, store, each);
    for (const each of endedAlone) recordAlone(shard, store, each);
    for (const leadId of leadsAlone) claimAlone(shard, store.id, leadId);
    for (const leadId of locked) lookAgain(shard, store, leadId);
    for (const { message } of claimed) store.locked.delete(message.lead_id);
    for (const leadId of left) store.ready.add(leadId);
    for (const { leadId, untilMs } of waits) {
      later(shard, untilMs - Date.now(), () => offer(shard, store.id, leadId, false));
    }
  }

  /** As a rule the other transaction is over soon, and the next set takes the lead. If not, one that waits for it does. */
  function lookAgain(shard: Shard, store: Store, leadId: string): void {
    const times = (store.locked.get(leadId) ?? 0) + 1;
    store.locked.set(leadId, times);
    if (times <= looksAtLocked || roomFor(store) === 0)
      later(shard, lookAgainMs, () => offer(shard, store.id, leadId, false));
    else {
      store.locked.delete(leadId);
      claimAlone(shard, store.id, leadId);
    }
  }

  /** Does the work after `afterMs` if the session of now still runs then. If it has ended, the next one reads what is due. */
  function later(shard: Shard, afterMs: number, work: () => void): void {
    const { session } = shard;
    if (!session || Date.now() + afterMs >= session.untilMs) return;
    const timer = setTimeout(
      () => {
        session.timers.delete(timer);
        work();
      },
      Math.max(afterMs, 5),
    );
    session.timers.add(timer);
  }

  /** The lead is in `calling` until the outcome is recorded. */
  function call(shard: Shard, store: Store, claimed: Claimed): void {
    hold(store, claimed.message.lead_id);
    void track(
      callProvider(dependencies, claimed, limits.callLimitMs).then((outcome) => {
        store.ended.push({ claimed, outcome });
        collect(shard, store);
      }),
    );
  }

  /** Takes a turn when all calls of the store have ended, or some time after the first. */
  function collect(shard: Shard, store: Store): void {
    const take = () => {
      clearTimeout(store.collecting);
      store.collecting = undefined;
      takeTurn(shard, store);
    };
    if (store.ended.length === store.calling.size) take();
    else store.collecting ??= setTimeout(take, collectMs);
  }

  function recordAlone(shard: Shard, store: Store, { claimed, outcome }: Ended): void {
    const leadId = claimed.message.lead_id;
    hold(store, leadId);
    const record = async () => {
      try {
        await recordSurely(dependencies, claimed, outcome, stopping.signal);
        relay.nudge();
      } finally {
        release(store, leadId);
        letOn();
        // Without a session here, the pump of the shard may be in another process.
        if (shard.session) offer(shard, store.id, leadId, false);
        else notices.publish(store.id, leadId);
      }
    };
    void workOn(shard, store, record);
  }

  /** `claimNext`, for a lead whose next step is no matter of sets. */
  function claimAlone(shard: Shard, storeId: string, leadId: string): void {
    if (!shard.session || waitingAlone.has(leadId)) return;
    const number = shard.session.shard;
    const aloneTurns = alone.get(number) ?? createTurns(aloneAtOnce);
    alone.set(number, aloneTurns);
    waitingAlone.add(leadId);
    calls.begin(storeId, 1);
    const claim = async (store: Store) => {
      waitingAlone.delete(leadId);
      const { session } = shard;
      if (!session || store.calling.has(leadId)) return;
      const made: { claims: readonly Claimed[] } = { claims: [] };
      try {
        const lead = { storeId, leadId, deadline: Date.now() + workLimitMs };
        const taken = await claimOf(dependencies, session, lead, made);
        relay.nudge();
        if (!taken) replace(session);
        else if (taken.kind === 'claimed') call(shard, store, taken.claimed);
        else if (taken.kind === 'answer' && taken.next.wake_at) {
          later(shard, Date.parse(taken.next.wake_at) - Date.now(), () => offer(shard, storeId, leadId, false));
        }
      } catch (error) {
        log.warn({ err: error, store_id: storeId, lead_id: leadId }, 'a message could not be claimed');
        for (const claimed of made.claims) recordAlone(shard, store, { claimed, outcome: notCalled });
        later(shard, pauseAfterFailureMs, () => offer(shard, storeId, leadId, false));
      }
    };
    aloneTurns.take(leadId, () => {
      const store = storeOf(shard, storeId);
      const work = () =>
        claim(store).finally(() => {
          calls.end(storeId, 1);
          letOn();
        });
      return workOn(shard, store, work);
    });
  }

  function replace(session: Session | undefined): void {
    if (!session) return;
    session.replaced = true;
    session.end();
  }

  /** Reads what is due in the shard, or in one store, and plans what becomes due while the session runs. */
  async function read(shard: Shard, store?: Store): Promise<void> {
    const { session } = shard;
    if (!session) return;
    if (store) store.hasMore = false;
    const deadline = Date.now() + workLimitMs;
    const withinMs = Math.max(0, session.untilMs - Date.now());
    const found = await systemDatabase.read(
      { deadline },
      (sql) =>
        findDueLeads(sql, session.shard, { withinMs, most: store ? readOfStore : readOfShard, store: store?.id }),
      { inIndexOrder: true },
    );
    for (const [storeId, leads] of Map.groupBy(found, (row) => row.store_id)) {
      if (leads.length === leads[0]?.most) storeOf(shard, storeId).hasMore = true;
      for (const { lead_id, due_in_ms } of leads) {
        const due = () => offer(shard, storeId, lead_id, false);
        if (due_in_ms <= 0) due();
        else later(shard, due_in_ms, due);
      }
    }
  }

  const unsubscribe = notices.listen((storeId, leadId) => {
    const shard = shards.get(deliveryShardOf(storeId));
    if (!shard?.session) return false;
    if (leadId) offer(shard, storeId, leadId, true);
    else void track(read(shard, storeOf(shard, storeId)));
    return true;
  });

  return {
    async run({ shard: number, fence }, untilMs, signal) {
      const shard = shardAt(number);
      // A late request: a newer step already has the shard here.
      if (shard.session && shard.session.fence > fence) return { worked: false, replaced: true };
      // An earlier request of the same step, whose answer was lost, or that of a step that was replaced.
      shard.session?.end();
      const ended = Promise.withResolvers<void>();
      const end = () => ended.resolve();
      const session: Session = {
        shard: number,
        fence,
        untilMs,
        worked: false,
        replaced: false,
        timers: new Set(),
        end,
      };
      shard.session = session;
      const timer = setTimeout(end, Math.max(0, untilMs - Date.now()));
      signal.addEventListener('abort', end, { once: true });
      try {
        await read(shard);
        await ended.promise;
      } finally {
        signal.removeEventListener('abort', end);
        for (const each of [timer, ...session.timers]) clearTimeout(each);
        if (shard.session === session) close(shard);
        else session.replaced = true;
      }
      return { worked: session.worked || hasBusyStore(shard), replaced: session.replaced };
    },
    async stop() {
      stopping.abort();
      unsubscribe();
      for (const { session } of shards.values()) session?.end();
      // A store with an outcome that waits for its turn is busy.
      while (working.size > 0 || [...shards.values()].some(hasBusyStore)) {
        await Promise.all(working);
        await afterEvents();
      }
    },
  };

  function close(shard: Shard): void {
    shard.session = undefined;
    for (const store of shard.stores.values()) {
      store.ready.clear();
      store.locked.clear();
      store.fresh.clear();
      store.hasMore = false;
      takeTurn(shard, store);
    }
  }
}
