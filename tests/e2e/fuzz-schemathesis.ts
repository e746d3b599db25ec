import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { preparePython } from '@mostrador/testing/python/environment';

/** Installs schemathesis unless it is installed. Resolves with the path of its Python. */
export const prepareSchemathesis = (): Promise<string> =>
  preparePython(join(import.meta.dirname, 'requirements.txt'), 'schemathesis');

/** Runs all checks on every operation of an API document. `examples` per operation; the default is in fuzz.toml. */
export async function runSchemathesis(options: {
  documentUrl: string;
  key: string;
  seed: string;
  examples: string | undefined;
  limitMs: number;
}): Promise<{ report: string; exitCode: number | null }> {
  const { documentUrl, key, seed, examples, limitMs } = options;
  const schemathesis = join(await prepareSchemathesis(), '../schemathesis');
  const folder = await mkdtemp(join(tmpdir(), 'mostrador-fuzz-'));
  try {
    const child = spawn(
      schemathesis,
      [
        ...['--config-file', join(import.meta.dirname, 'fuzz.toml')],
        // Not `--checks all`, which is the default, and would switch on again what fuzz.toml switches off.
        ...['run', documentUrl, '--no-color', '--seed', seed],
        ...(examples ? ['--max-examples', examples] : []),
      ],
      {
        cwd: folder,
        env: {
          ...process.env,
          // Not an argument, because other users can read those.
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
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
