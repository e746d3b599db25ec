import { join } from 'node:path';
import { startPeer } from '@mostrador/local-platform/peer';
import type { LoadJob, LoadResult } from './job.ts';

/** Starts the load generator. Returns the function that runs a job. */
export async function startLoad(stops: (() => Promise<void>)[]): Promise<(job: LoadJob) => Promise<LoadResult>> {
  const peer = await startPeer(join(import.meta.dirname, 'main.ts'));
  stops.push(peer.stop);
  return (job) => peer.call<LoadResult>('run', job);
}
