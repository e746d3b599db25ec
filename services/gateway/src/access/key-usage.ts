import type { Log } from '@mostrador/kit/process/log';
import { periodically } from '@mostrador/kit/process/periodic';
import { LRUCache } from 'lru-cache';

export type KeyUse = { readonly keyId: string; readonly usedAt: Date };

/** Remembers which keys were used and has that written, at most once a minute a key. */
export type KeyUsage = {
  used(keyId: string): void;
  start(): void;
  /** Writes what is still to be written. */
  stop(): Promise<void>;
};

const writeEveryMs = 5000;
const oncePerMs = 60_000;
/** More keys than this in five seconds: the rest is recorded at its next use. */
const maximumBatch = 1000;

/** `last_used_at` is for people who tidy up: a write that fails is dropped, the key's next use brings it again. */
export function createKeyUsage(options: {
  write: (uses: KeyUse[]) => Promise<void>;
  log: Log;
  now?: () => number;
}): KeyUsage {
  const { write, log, now = Date.now } = options;
  /** Epoch milliseconds of the last use that is to be written or was. */
  const recorded = new LRUCache<string, number>({ max: 50_000 });
  const waiting = new Map<string, Date>();

  async function flush(): Promise<void> {
    if (waiting.size === 0) return;
    const uses = [...waiting].map(([keyId, usedAt]) => ({ keyId, usedAt }));
    waiting.clear();
    await write(uses);
  }

  const flushes = periodically({ name: 'key-usage', everyMs: writeEveryMs, log, run: flush });

  return {
    used(keyId) {
      const nowMs = now();
      const lastMs = recorded.get(keyId);
      if ((lastMs !== undefined && nowMs - lastMs < oncePerMs) || waiting.size >= maximumBatch) return;
      recorded.set(keyId, nowMs);
      waiting.set(keyId, new Date(nowMs));
    },
    start: () => flushes.start(),
    async stop() {
      await flushes.stop();
      await flush().catch((error: unknown) => log.warn({ err: error }, 'the last uses of keys were not recorded'));
    },
  };
}
