import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { build, readBuild } from './build.ts';
import { createMetrics } from './metrics.ts';

const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));

test('the version is that of the root, and an image names its revision', () => {
  expect(build().version).toBe(manifest.version);

  const folder = mkdtempSync(join(tmpdir(), 'mostrador-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), '{ "version": "1.2.3" }');
  expect(readBuild(folder)).toEqual({ version: '1.2.3', revision: 'unknown' });
  writeFileSync(join(folder, 'REVISION'), 'abc123\n');
  expect(readBuild(folder)).toEqual({ version: '1.2.3', revision: 'abc123' });
});

test('every process exports its build', async () => {
  const text = await createMetrics('test').text();
  const { version, revision } = build();
  expect(text).toContain(`mostrador_build_info{version="${version}",revision="${revision}",service="test"} 1`);
});
