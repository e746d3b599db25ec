import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey, createStore } from '@mostrador/contracts';
import { localDirectory, root } from '@mostrador/local-platform/paths';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import { startLocalPlatform } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';

/** Where examples call the API, as environment variables. */
export type ExampleInput = { readonly MOSTRADOR_BASE_URL: string; readonly MOSTRADOR_API_KEY: string };

type DevStores = { readonly stores: readonly { readonly tier: string; readonly api_key: string }[] };

/** Starts the platform as `npm start` does. */
export async function startSdkPlatform() {
  const runs = runFolders(join(localDirectory(process.env), 'sdk'));
  await runs.removeDead();
  const folder = runs.create();
  const platform = await startLocalPlatform({
    root,
    folder,
    environment: { LOG_LEVEL: 'error', WEBHOOK_ALLOW_HOSTS: '127.0.0.1' },
  });
  return {
    /** The demo store of the tier `pro`. */
    demoStore(): ExampleInput {
      const { stores } = JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8')) as DevStores;
      const key = stores.find(({ tier }) => tier === 'pro')?.api_key ?? '';
      return { MOSTRADOR_BASE_URL: platform.dev.base_url, MOSTRADOR_API_KEY: key };
    },
    /** The key of a new store without data. */
    newStore: (): Promise<ExampleInput> =>
      withInsideClient(platform.natsUrl('admin'), async (call) => {
        const { id } = await call(createStore, { body: { name: 'SDK', tier: 'pro' } });
        const { api_key: key } = await call(createApiKey, { body: { store_id: id, name: 'sdk' } });
        return { MOSTRADOR_BASE_URL: platform.dev.base_url, MOSTRADOR_API_KEY: key };
      }),
    async stop() {
      const fault = await platform.stop();
      if (fault) throw new Error(fault);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
