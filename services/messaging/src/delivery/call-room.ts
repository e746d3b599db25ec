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
  /** The store waits for its turn. One that waits already keeps its place. */
  wait(storeId: string, isNew: boolean): void;
  /** The stores whose turn comes now. They keep it until `pass`. */
  letOn(): string[];
  /** The store gives its turn up, or no longer waits. True: it had a turn. */
  pass(storeId: string): boolean;
};

/**
 * Shares the calls out. A store without a call begins one at once for a new message, whatever the others do: what is beyond
 * `ofProcess` are single calls of as many stores. For all else the stores take turns: the longest waiting first, those with
 * a new message in every second turn.
 */
export function createCallRoom({ ofStore, ofProcess, ofFirst }: CallBounds): CallRoom {
  const calls = new Map<string, number>();
  const [withNew, others] = [new Set<string>(), new Set<string>()];
  /** The stores whose turn it is. Each is sure of one call. */
  const turns = new Set<string>();
  let all = 0;
  let wasNew = false;

  const add = (storeId: string, count: number): void => {
    const now = (calls.get(storeId) ?? 0) + count;
    all += count;
    if (now > 0) calls.set(storeId, now);
    else calls.delete(storeId);
  };

  const isFull = (storeId: string): boolean => (calls.get(storeId) ?? 0) >= ofStore;

  return {
    begin: add,
    end: (storeId, count) => add(storeId, -count),
    isFull,
    roomFor(storeId, isNew) {
      if (isFull(storeId)) return 0;
      const own = calls.get(storeId) ?? 0;
      const hasTurn = turns.has(storeId);
      const taken = all + turns.size - (hasTurn ? 1 : 0);
      const shared = hasTurn || withNew.size + others.size === 0 ? Math.min(ofStore - own, ofProcess - taken) : 0;
      const isFirst = isNew && own === 0 && taken < ofProcess + ofFirst;
      return Math.max(shared, hasTurn || isFirst ? 1 : 0);
    },
    wait(storeId, isNew) {
      if (isNew) others.delete(storeId);
      if (!withNew.has(storeId)) (isNew ? withNew : others).add(storeId);
    },
    letOn() {
      const next: string[] = [];
      while (all + turns.size < ofProcess) {
        const queue = (wasNew ? [others, withNew] : [withNew, others]).find(({ size }) => size > 0);
        const [storeId] = queue ?? [];
        if (!queue || storeId === undefined) break;
        queue.delete(storeId);
        wasNew = queue === withNew;
        turns.add(storeId);
        next.push(storeId);
      }
      return next;
    },
    pass(storeId) {
      withNew.delete(storeId);
      others.delete(storeId);
      return turns.delete(storeId);
    },
  };
}
