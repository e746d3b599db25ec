import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holderOf, tryLock, withLock } from './lock.mjs';

test('one of many parallel callers gets the lock, and the others can read its holder', async () => {
  const name = randomUUID();
  const locks = await Promise.all(Array.from({ length: 20 }, (_, index) => tryLock(name, `holder ${index}`)));
  expect(locks.filter(Boolean)).toHaveLength(1);
  expect(await holderOf(name)).toMatch(/^holder \d+$/);
  await locks.find(Boolean)?.release();
  expect(await holderOf(name)).toBeUndefined();
});

test('killing the holder releases the lock at once', async () => {
  const name = randomUUID();
  const script = `import { tryLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.mjs'))};
    if (await tryLock(${JSON.stringify(name)})) process.stdout.write('locked');
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  expect(await tryLock(name)).toBeUndefined();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = await tryLock(name);
  expect(lock).toBeDefined();
  await lock?.release();
});

test('a caller that has to wait is notified once and runs after the holder', async () => {
  const name = randomUUID();
  const order: string[] = [];
  const first = await tryLock(name);
  const second = withLock(
    name,
    () => order.push('waits'),
    async () => order.push('works'),
  );
  await expect.poll(() => order).toEqual(['waits']);
  await first?.release();
  await second;
  expect(order).toEqual(['waits', 'works']);
});
