import { LRUCache } from 'lru-cache';

/**
 * A cache of at most `most` entries, which forgets the one that was not used for the longest time. Its memory grows with
 * its entries. The option `max` of lru-cache would take the memory for all of them at once: 4 MB for 100,000.
 */
export const createBoundedCache = <Key extends {}, Value extends {}>(most: number): LRUCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: () => 1 });
