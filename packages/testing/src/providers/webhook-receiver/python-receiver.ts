import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { preparePython } from '../../python/environment.ts';

/** A request with a valid signature, and how it was answered. */
export type Receipt = {
  readonly path: string;
  /** `webhook-id`, the id of the event. */
  readonly id: string;
  readonly sequence: number;
  readonly entity: string;
  readonly status: number;
};

/** A request that no receiver may get. */
export type ReceiptFault = { readonly path: string; readonly fault: string };

export type PythonReceiver = {
  readonly url: (path: string) => string;
  /** In the order of their arrival. */
  readonly receipts: readonly Receipt[];
  readonly faults: readonly ReceiptFault[];
  /** Expects requests of an endpoint at this path. Before it every request is a fault. */
  trust(path: string, secret: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts `receive.py`: a receiver in Python, in which the official library verifies each signature.
 *
 * @param failing the share of the events whose first attempt gets a 500
 */
export async function startPythonReceiver({ failing }: { failing: number }): Promise<PythonReceiver> {
  const python = await preparePython(join(import.meta.dirname, 'requirements.txt'), 'Standard Webhooks');
  const child = spawn(python, ['-B', join(import.meta.dirname, 'receive.py'), String(failing)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const receipts: Receipt[] = [];
  const faults: ReceiptFault[] = [];
  const waiting: (() => void)[] = [];
  const listening = Promise.withResolvers<number>();
  child.once('exit', (code) => listening.reject(new Error(`the receiver of webhooks ended (exit code ${code})`)));
  listening.promise.catch(() => {});
  const lines = createInterface({ input: child.stdout });
  lines.once('line', (port) => listening.resolve(Number(port)));
  const port = await listening.promise;
  lines.on('line', (line) => {
    if (line === 'ok') return waiting.shift()?.();
    const record = JSON.parse(line) as Receipt | ReceiptFault;
    if ('fault' in record) faults.push(record);
    else receipts.push(record);
  });
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    receipts,
    faults,
    trust: (path, secret) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        child.stdin.write(`${JSON.stringify({ path, secret })}\n`);
      }),
    async stop() {
      if (child.exitCode !== null) return;
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
