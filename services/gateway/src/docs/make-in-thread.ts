import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What `thread.ts` makes. */
export type Task = { readonly make: 'reference script' } | { readonly make: 'yaml'; readonly json: string };

/**
 * Makes a file in a thread of its own. The script of the reference page needs a second of work and 50 MB, because its
 * package has it only inside a Fastify plugin; YAML needs half a second. Requests do not wait for either, and the memory
 * comes back when the thread ends.
 */
export async function makeInThread(task: Task): Promise<Buffer> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: task });
  try {
    const [made] = await once(worker, 'message');
    return Buffer.from(made as Uint8Array);
  } finally {
    await worker.terminate();
  }
}
