import { appendFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@mostrador/testing/context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fingerprintOf, loadWorkflowBundle } from './bundle.ts';
import { sdkLogger } from './runtime.ts';

const logger = sdkLogger(silentLog());
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mostrador-bundle-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the bundle is built once, and bundles of other sources are removed', { timeout: 30_000 }, async () => {
  await writeFile(join(folder, 'outdated.js'), '');
  const made = await loadWorkflowBundle({ cacheDirectory: folder, logger });
  const [file = '', ...others] = await readdir(folder);
  expect(others).toEqual([]);
  expect(await readFile(join(folder, file), 'utf8')).toBe(made.code);

  await writeFile(join(folder, file), 'kept');
  expect(await loadWorkflowBundle({ cacheDirectory: folder, logger })).toEqual({ code: 'kept' });
});

test('the fingerprint of the same sources is the same at every path, and another for other sources', async () => {
  const root = join(import.meta.dirname, '../..');
  for (const part of ['pnpm-lock.yaml', 'packages/contracts/src', 'workflows/src']) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
  const fingerprint = await fingerprintOf(root);
  expect(await fingerprintOf(folder)).toBe(fingerprint);

  await appendFile(join(folder, 'workflows/src/workflows.ts'), '\n');
  expect(await fingerprintOf(folder)).not.toBe(fingerprint);
});
