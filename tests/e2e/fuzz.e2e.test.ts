import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { preparePython } from '../python/environment.ts';
import { gatewayUrl, newStore } from './platform.ts';

// To search further: MOSTRADOR_FUZZ_SEED=7 MOSTRADOR_FUZZ_EXAMPLES=200 npm test -- fuzz
const seed = process.env.MOSTRADOR_FUZZ_SEED || '1';
const examples = process.env.MOSTRADOR_FUZZ_EXAMPLES;
const limitMs = examples ? 3_600_000 : 300_000;

let schemathesis: string;
let folder: string;

beforeAll(async () => {
  const python = await preparePython(join(import.meta.dirname, 'requirements.txt'), 'schemathesis');
  schemathesis = join(python, '../schemathesis');
  folder = await mkdtemp(join(tmpdir(), 'mostrador-fuzz-'));
});

afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('whatever a fuzzer makes of the API document, answers are as the document says, and never a 5xx', {
  timeout: limitMs + 10_000,
}, async () => {
  const { key } = await newStore({ arguments: ['--rate-limit', '1000000'] });
  const { report, exitCode } = await fuzz(key);
  expect(exitCode, report).toBe(0);
  // It was let in, and tried every operation at the platform itself.
  const [, selected, all] = /Selected: (\d+)\/(\d+)/.exec(report) ?? [];
  expect([selected, report]).toEqual([all, expect.stringContaining(`Tested: ${all}`)]);
  expect(report).toContain(`${gatewayUrl}/integrations/v1`);
});

async function fuzz(key: string): Promise<{ report: string; exitCode: number | null }> {
  const child = spawn(
    schemathesis,
    [
      ...['--config-file', join(import.meta.dirname, 'fuzz.toml')],
      ...['run', `${gatewayUrl}/docs/json`, '--checks', 'all', '--no-color', '--seed', seed],
      ...(examples ? ['--max-examples', examples] : []),
    ],
    {
      cwd: folder,
      env: {
        ...process.env,
        // Arguments can be read by others.
        MOSTRADOR_FUZZ_KEY: key,
        PYTHONPATH: import.meta.dirname,
        PYTHONDONTWRITEBYTECODE: '1',
        NO_PROXY: '127.0.0.1,localhost',
      },
      timeout: limitMs,
    },
  );
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [out, err, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { report: out + err, exitCode };
}
