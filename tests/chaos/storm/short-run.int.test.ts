import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { expect, test } from 'vitest';

const limitMs = 270_000;

/** Runs a part of `npm run chaos -- --short`. The whole is too long for every test run. */
const runChaos = (...argv: string[]): Promise<{ code: number | string | null; output: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, NODE_ENV: undefined, VITEST: undefined };
    execFile(
      process.execPath,
      [join(root, 'tests/chaos/main.ts'), ...argv],
      { cwd: root, env, timeout: limitMs, killSignal: 'SIGINT' },
      (error, out, err) => resolve({ code: error ? (error.code ?? null) : 0, output: out + err }),
    );
  });

test('two faults under load lose and duplicate nothing, and every invariant can fail', {
  timeout: limitMs + 20_000,
}, async () => {
  const { code, output } = await runChaos('--short', '--seed', '9', '--faults', '2');
  expect(code, output).toBe(0);
  expect(output).toContain('Nothing was lost or duplicated, and every invariant held.');
});
