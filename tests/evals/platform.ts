import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { localDirectory, root } from '@mostrador/local-platform/paths';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import { startLocalPlatform } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import type { Platform } from './store.ts';

/** Starts a platform as `npm start` does, with data of its own, and stops it after `work`. */
export async function withPlatform<T>(work: (platform: Platform) => Promise<T>): Promise<T> {
  const runs = runFolders(join(localDirectory(process.env), 'evals/platforms'));
  await runs.removeDead();
  const folder = runs.create();
  const started = await startLocalPlatform({
    root,
    folder,
    durable: false,
    environment: { MOSTRADOR_DEMO: 'off', LOG_LEVEL: 'warn' },
  });
  const stop = async () => {
    await started.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  }
  try {
    return await withInsideClient(started.natsUrl('admin'), (call) => work({ baseUrl: started.dev.base_url, call }));
  } finally {
    await stop();
  }
}
