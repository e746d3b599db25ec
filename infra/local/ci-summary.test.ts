import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { skippedCode } from '../../packages/testing/src/command.ts';

const summary = resolve(import.meta.dirname, '../../.ci/summary.mjs');

test('a step without its tool is skipped: it counts neither as passed nor as failed', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'mostrador-summary-'));
  const run = (...steps: string[]) => spawnSync(process.execPath, [summary, ...steps], { cwd, encoding: 'utf8' });
  const good = run('replay=0', `alerts=${skippedCode}`, 'charts=skipped');
  expect(good).toMatchObject({ status: 0, stdout: 'skipped: alerts, charts\n1 passed, 0 failed\n' });
  const bad = run('replay=0', 'charts=1', `alerts=${skippedCode}`);
  expect(bad.status).toBe(1);
  expect(bad.stdout).toMatch(/skipped: alerts\n1 passed, 1 failed\n$/);
  rmSync(cwd, { recursive: true });
});
