/** The bounds of the calls to providers that run at once. */
export type CallBounds = {
  /** Of a store. */
  readonly ofStore: number;
  /** Of all stores. */
  readonly ofProcess: number;
  /** Beyond `ofProcess`, each the only call of a store that has a new message. */
  readonly ofFirst: number;
};

/** Who may begin a call: the calls that run or are about to begin, and the stores that wait for one of them to end. */
export type CallRoom = {
  begin(storeId: string, calls: number): void;
  end(storeId: string, calls: number): void;
  /** The store has as many calls as it may have. */
  isFull(storeId: string): boolean;
  /** How many calls the store may begin now. `isNew`: one of its messages is new. */
  roomFor(storeId: string, isNew: boolean): number;
  /** The store waits for its turn to begin this many calls. One that waits already keeps its place. */
  wait(storeId: string, isNew: boolean, wanted: number): void;
  /** The stores whose turn comes now. They keep it until `pass`. */
  letOn(): string[];
  /** The store gives its turn up, or no longer waits. True: it had a turn. */
  pass(storeId: string): boolean;
};

/**
 * A turn of fewer calls waits until this many are free, unless its store wants fewer: calls end one by one, and a set of six
 * costs little more than one message.
 */
const leastOfTurn = 6;

type Turn = { readonly queue: Map<string, number>; readonly storeId: string; readonly calls: number };

/**
 * Shares the calls out. A store without a call begins one at once for a new message, whatever the others do: what is beyond
 * `ofProcess` are single calls of as many stores. For all else the stores take turns: the longest waiting first, those with
 * a new message in every second turn.
 */
export function createCallRoom({ ofStore, ofProcess, ofFirst }: CallBounds): CallRoom {
  const calls = new Map<string, number>();
  /** The stores that wait, and how many calls each wants. */
  const [withNew, others] = [new Map<string, number>(), new Map<string, number>()];
  /** The stores whose turn it is, and of how many calls each is sure. */
  const turns = new Map<string, number>();
  let all = 0;
  /** The sum of `turns`. */
  let kept = 0;
  let wasNew = false;
  /** The other queue has had a turn while the due one waited for free calls. */
  let isOvertaken = false;

  const add = (storeId: string, count: number): void => {
    const now = (calls.get(storeId) ?? 0) + count;
    all += count;
    if (now > 0) calls.set(storeId, now);
    else calls.delete(storeId);
  };

  const ofStoreNow = (storeId: string): number => calls.get(storeId) ?? 0;
  const isFull = (storeId: string): boolean => ofStoreNow(storeId) >= ofStore;

  /** The turn of the first store of the queue, if it can have it now. One that is full gives its turn up. */
  const turnOf = (queue: Map<string, number>): Turn | undefined => {
    const [waiting] = queue;
    if (!waiting) return undefined;
    const [storeId, wanted] = waiting;
    const most = Math.max(1, Math.min(wanted, ofStore - ofStoreNow(storeId)));
    const free = ofProcess - all - kept;
    return free < Math.min(most, leastOfTurn) ? undefined : { queue, storeId, calls: Math.min(most, free) };
  };

  const nextTurn = (): Turn | undefined => {
    const [due, other] = wasNew ? [others, withNew] : [withNew, others];
    const turn = turnOf(due) ?? (due.size > 0 && isOvertaken ? undefined : turnOf(other));
    if (turn) isOvertaken = turn.queue !== due && due.size > 0;
    return turn;
  };

  return {
    begin: add,
    end: (storeId, count) => add(storeId, -count),
    isFull,
    roomFor(storeId, isNew) {
      if (isFull(storeId)) return 0;
      const own = ofStoreNow(storeId);
      const ofTurn = turns.get(storeId) ?? 0;
      const taken = all + kept - ofTurn;
      const isFree = ofTurn > 0 || withNew.size + others.size === 0;
      const shared = isFree ? Math.max(ofTurn, ofProcess - taken) : 0;
      const first = isNew && own === 0 && taken < ofProcess + ofFirst ? 1 : 0;
      return Math.min(ofStore - own, Math.max(shared, first));
    },
    wait(storeId, isNew, wanted) {
      if (isNew) others.delete(storeId);
      (isNew || withNew.has(storeId) ? withNew : others).set(storeId, wanted);
    },
    letOn() {
      const next: string[] = [];
      for (let turn = nextTurn(); turn; turn = nextTurn()) {
        turn.queue.delete(turn.storeId);
        // After one that overtook, the due queue is still the due one.
        if (!isOvertaken) wasNew = turn.queue === withNew;
        turns.set(turn.storeId, turn.calls);
        kept += turn.calls;
        next.push(turn.storeId);
      }
      return next;
    },
    pass(storeId) {
      withNew.delete(storeId);
      others.delete(storeId);
      kept -= turns.get(storeId) ?? 0;
      return turns.delete(storeId);
    },
  };
}
