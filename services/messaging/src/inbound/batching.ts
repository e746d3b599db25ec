import { endOfTick } from '@mostrador/kit/rpc/event-loop';

/** Collects single items into batches. */
export type Batching<Item> = {
  /** Resolves when the item's batch is done. Rejects with the item's error, or with the error that the batch threw. */
  add(key: string, item: Item): Promise<void>;
};

/**
 * Batches items by key. Items that arrive while a batch of their key runs form the next batch, in the order of arrival.
 * So no item waits for others to arrive, and under load many items share a transaction.
 *
 * `work` starts after all of its items have arrived. It returns the errors of failed items, at the items' indexes.
 */
export function createBatching<Item>(options: {
  readonly work: (key: string, items: readonly Item[]) => Promise<readonly (Error | undefined)[]>;
  readonly sizeOf: (item: Item) => number;
  /** The largest total size of a batch with more than one item. */
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
    await endOfTick(); // collects the items that arrived in the same tick
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
