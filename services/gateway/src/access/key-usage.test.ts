import { silentLog } from '@mostrador/testing/context';
import { expect, test } from 'vitest';
import { createKeyUsage, type KeyUse } from './key-usage.ts';

test('uses are written in a batch, and each key at most once a minute', async () => {
  const written: KeyUse[] = [];
  let nowMs = 1_000_000;
  const write = async (uses: KeyUse[]) => void written.push(...uses);
  const usage = createKeyUsage({ write, log: silentLog(), now: () => nowMs });
  usage.used('a');
  usage.used('a');
  usage.used('b');
  nowMs += 59_000;
  usage.used('a');
  nowMs += 2000;
  usage.used('b');
  await usage.stop();
  expect(written).toEqual([
    { keyId: 'a', usedAt: new Date(1_000_000) },
    { keyId: 'b', usedAt: new Date(1_061_000) },
  ]);
});

test('a failed write does not fail the shutdown', async () => {
  const usage = createKeyUsage({ write: () => Promise.reject(new Error('down')), log: silentLog() });
  usage.used('a');
  await expect(usage.stop()).resolves.toBeUndefined();
});
