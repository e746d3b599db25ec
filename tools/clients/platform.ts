import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { connectChannel, createApiKey, createStore } from '@mostrador/contracts';
import { localDirectory, root } from '@mostrador/local-platform/paths';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import { startLocalPlatform } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import { waitFor } from '@mostrador/testing/wait';

/** What a smoke call needs to know, as environment variables. */
export type SmokeInput = {
  readonly SMOKE_BASE_URL: string;
  readonly SMOKE_KEY: string;
  /** A lead that wrote just now, so that the store may answer. */
  readonly SMOKE_LEAD_ID: string;
};

export type ClientsPlatform = Awaited<ReturnType<typeof startClientsPlatform>>;

/** Starts the platform as `npm start` does, with a `pro` store that has a sandbox channel and one lead. */
export async function startClientsPlatform() {
  const runs = runFolders(join(localDirectory(process.env), 'clients'));
  await runs.removeDead();
  const folder = runs.create();
  const platform = await startLocalPlatform({
    ...{ root, folder, durable: false, environment: { LOG_LEVEL: 'error' } },
    // The clients contain the address. With the same one in each run of each clone, compilers know the client of an
    // unchanged API.
    portsOf: 'clients',
  });
  try {
    const { key, sandboxUrl } = await withInsideClient(platform.natsUrl('admin'), async (call) => {
      const { id } = await call(createStore, { body: { name: 'Clients', tier: 'pro' } });
      const { api_key: key } = await call(createApiKey, { body: { store_id: id, name: 'clients' } });
      const { sandbox_url: sandboxUrl } = await call(connectChannel, { body: { provider: 'sandbox' } }, id);
      return { key, sandboxUrl };
    });
    const input: SmokeInput = {
      SMOKE_BASE_URL: platform.dev.base_url,
      SMOKE_KEY: key,
      SMOKE_LEAD_ID: await writeAsCustomer(`${sandboxUrl}/messages`, platform.dev.base_url, key),
    };
    return {
      folder,
      input,
      documentUrl: `${platform.origin}/docs/json`,
      stop: platform.stop,
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    await platform.stop();
    throw error;
  }
}

/** Writes to the store on the sandbox's phone. Resolves with the id of the lead that this makes. */
async function writeAsCustomer(url: string, baseUrl: string, key: string): Promise<string> {
  const customer_phone = '5531900000000';
  const written = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customer_phone, name: 'Bia', text: 'Olá' }),
  });
  if (!written.ok) throw new Error(`the sandbox answered ${written.status}`);
  return waitFor<string>(
    async () => {
      const answer = await fetch(`${baseUrl}/leads?customer_phone=${customer_phone}`, {
        headers: { 'x-api-key': key },
      });
      const { data } = (await answer.json()) as { data: { id: string }[] };
      return data[0]?.id ?? '';
    },
    { description: 'the message makes a lead', timeoutMs: 20_000 },
  );
}
