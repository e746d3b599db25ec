import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '../../packages/kit/src/process/log.ts';
import type { seedDemo } from './demo/seed.ts';
import { writePrivately } from './write-privately.ts';

export type Demo = Awaited<ReturnType<typeof seedDemo>>;

export type DemoOptions = {
  localDirectory: string;
  natsUrl: string;
  /** The address of the API, with its prefix. */
  baseUrl: string;
  publicUrl: string;
  say(text: string): void;
};

/**
 * Returns the demo stores of an earlier start when their keys still work, with their present addresses. Otherwise it
 * creates new ones.
 */
export async function provideDemo(options: DemoOptions): Promise<Demo> {
  const file = join(options.localDirectory, 'demo.json');
  const known = read(file);
  const log = createLog({ service: 'demo', level: 'warn', format: 'pretty' });
  const { natsUrl, baseUrl, publicUrl } = options;
  if (known && (await works(known, baseUrl))) {
    const { withAddresses } = await import('./demo/addresses.ts');
    return await withAddresses(known, { natsUrl, log });
  }
  options.say('Creating the demo data.');
  // Imported only here, so that later starts are faster.
  const { seedDemo } = await import('./demo/seed.ts');
  const demo = await seedDemo({ natsUrl, baseUrl, publicUrl, log });
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
