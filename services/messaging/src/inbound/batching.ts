import { endOfTick } from '@mostrador/kit/rpc/event-loop';

/** What comes in singly and is done together. */
export type Batching<Item> = {
  /** Resolves when the item's batch is done. Rejects with what became of the item, or with what the whole batch threw. */
  add(key: string, item: Item): Promise<void>;
};

/**
 * Gathers by key: what comes while a batch of the same key is at work is the next one, in the order in which it came. So
 * nothing waits for company, and under load a transaction is shared by many.
 *
 * `work` begins after all its items came. It returns the errors of those that failed, in the places of the items.
 */
export function createBatching<Item>(options: {
  readonly work: (key: string, items: readonly Item[]) => Promise<readonly (Error | undefined)[]>;
  readonly sizeOf: (item: Item) => number;
  /** Of a batch of more than one. */
  readonly mostSize: number;
}): Batching<Item> {
  const { work, sizeOf, mostSize } = options;
  type Entry = { readonly item: Item; resolve(): void; reject(error: unknown): void };
  const queues = new Map<string, Entry[]>();

  const takeBatch = (queue: Entry[]): Entry[] => {
    let size = 0;
    const over = queue.findIndex(({ item }, index) => {
      size += sizeOf(item);
      return size > mostSize && index > 0;
    });
    return queue.splice(0, over < 0 ? queue.length : over);
  };

  const run = async (key: string, queue: Entry[]) => {
    await endOfTick(); // what arrived together
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      try {
        const errors = await work(
          key,
          batch.map(({ item }) => item),
        );
        batch.forEach(({ resolve, reject }, index) => {
          if (errors[index]) reject(errors[index]);
          else resolve();
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(key);
  };

  return {
    add: (key, item) =>
      new Promise((resolve, reject) => {
        const entry = { item, resolve, reject };
        const queue = queues.get(key);
        if (queue) {
          queue.push(entry);
          return;
        }
        const opened = [entry];
        queues.set(key, opened);
        void run(key, opened);
      }),
  };
}
