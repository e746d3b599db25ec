import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from '@mostrador/local-platform/write-privately';
import { createLog, type Log } from '../../../packages/kit/src/process/log.ts';
import type { NatsTls } from '../../../packages/kit/src/rpc/nats.ts';
import type { seedDemo } from './seed.ts';

type Demo = Awaited<ReturnType<typeof seedDemo>>;

/** The demo stores, and a link that signs the first store's owner in to the console, once. */
export type StartedDemo = Demo & { readonly login_url: string };

export type DemoOptions = {
  localDirectory: string;
  natsUrl: string;
  natsTls: NatsTls;
  /** The address of the API, with its prefix. */
  baseUrl: string;
  publicUrl: string;
  say(text: string): void;
};

/**
 * Returns the demo stores of an earlier start when their keys still work, with their present addresses. Otherwise it
 * creates new ones. The login link is new each time.
 */
export async function provideDemo(options: DemoOptions): Promise<StartedDemo> {
  const log = createLog({ service: 'demo', level: 'warn', format: 'pretty' });
  const demo = await provideStores(options, log);
  const [store] = demo.stores;
  if (!store) throw new Error('the demo data has no store; delete .local/demo.json and start again');
  const nats = { natsUrl: options.natsUrl, natsTls: options.natsTls };
  const { ownerLoginUrl } = await import('./owner.ts');
  return { ...demo, login_url: await ownerLoginUrl(store.id, { ...nats, log }) };
}

async function provideStores(options: DemoOptions, log: Log): Promise<Demo> {
  const file = join(options.localDirectory, 'demo.json');
  const known = read(file);
  const { natsUrl, natsTls, baseUrl, publicUrl } = options;
  if (known && (await works(known, baseUrl))) {
    const { withAddresses } = await import('./addresses.ts');
    return await withAddresses(known, { natsUrl, natsTls, log });
  }
  options.say('Creating the demo data.');
  // Imported only here, so that later starts are faster.
  const { seedDemo } = await import('./seed.ts');
  const demo = await seedDemo({ natsUrl, natsTls, baseUrl, publicUrl, log });
  writePrivately(file, demo);
  return demo;
}

/** Whether the API accepts the key of the first store. A new or emptied database does not know it. */
async function works(demo: Demo, baseUrl: string): Promise<boolean> {
  const key = demo.stores[0]?.api_key ?? '';
  const response = await fetch(`${baseUrl}/store`, { headers: { 'x-api-key': key } });
  await response.arrayBuffer();
  return response.status !== 401;
}

function read(file: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
