import { AppError } from '@mostrador/kit/rpc/errors';

type BatchOptions<Key, Value> = {
  /** Reads the values of some keys, in their order. */
  readonly read: (keys: Key[]) => Promise<readonly Value[]>;
  /** The most keys of one read. */
  readonly mostTogether: number;
  /** The reads that run at once. */
  readonly readsAtOnce: number;
  /** The keys that may wait. */
  readonly mostWaiting: number;
};

/**
 * Reads values by keys. Keys that are asked for while the reads run are read together afterwards. So a flood of keys costs
 * few reads, and one that comes in the midst of it waits for the next.
 *
 * @throws AppError `service_unavailable` when too many keys wait
 */
export function createBatches<Key, Value>(options: BatchOptions<Key, Value>): (key: Key) => Promise<Value> {
  const { read, mostTogether, readsAtOnce, mostWaiting } = options;
  type Waiting = { readonly key: Key; readonly value: PromiseWithResolvers<Value> };
  const waiting: Waiting[] = [];
  let reads = 0;

  const readNext = async () => {
    const batch = waiting.splice(0, mostTogether);
    if (batch.length === 0) return;
    reads += 1;
    try {
      const values = await read(batch.map(({ key }) => key));
      for (const [index, { value }] of batch.entries()) value.resolve(values[index] as Value);
    } catch (error) {
      for (const { value } of batch) value.reject(error);
    }
    reads -= 1;
    void readNext();
  };

  return async (key) => {
    if (waiting.length >= mostWaiting) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
    const value = Promise.withResolvers<Value>();
    waiting.push({ key, value });
    if (reads < readsAtOnce) void readNext();
    return await value.promise;
  };
}
