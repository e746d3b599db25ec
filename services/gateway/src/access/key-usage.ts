import { randomUUID } from 'node:crypto';
import { maxKeyUses, recordKeyUses } from '@mostrador/contracts';
import { createBoundedCache } from '@mostrador/kit/process/bounded-cache';
import type { Log } from '@mostrador/kit/process/log';
import { periodically } from '@mostrador/kit/process/periodic';
import type { RpcClient } from '@mostrador/kit/rpc/client';

export type KeyUse = { readonly keyId: string; readonly usedAt: Date };

/** Records when keys are used, at most once a minute for each key. */
export type KeyUsage = {
  used(keyId: string): void;
  start(): void;
  /** Stops, and writes the uses that are still pending. */
  stop(): Promise<void>;
};

const writeEveryMs = 5000;
const oncePerMs = 60_000;
/** One request every 5 s. A key beyond its size is recorded at its next use. */
const maximumBatch = maxKeyUses;
const writeLimitMs = 2000;

/** Reports uses to accounts, which writes them: the gateway may not write keys. */
export const reportUsesOver =
  (rpc: Pick<RpcClient, 'call'>) =>
  async (uses: readonly KeyUse[]): Promise<void> => {
    const body = { uses: uses.map(({ keyId, usedAt }) => ({ key_id: keyId, used_at: usedAt.toISOString() })) };
    await rpc.call(recordKeyUses, { body }, { requestId: randomUUID(), deadline: Date.now() + writeLimitMs });
  };

/** `last_used_at` helps operators to find unused keys. A failed write is dropped; a later use is recorded again. */
export function createKeyUsage(options: {
  write: (uses: KeyUse[]) => Promise<void>;
  log: Log;
  now?: () => number;
}): KeyUsage {
  const { write, log, now = Date.now } = options;
  /** Epoch milliseconds of the last recorded use of each key, pending or written. */
  const recorded = createBoundedCache<string, number>(50_000);
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
