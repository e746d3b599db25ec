import { migrateAll } from '@mostrador/local-platform/migrations';
import { servePeer } from '@mostrador/local-platform/peer';
import { providePrograms } from '@mostrador/local-platform/programs';
import { prepareDatabase } from '@mostrador/local-platform/servers/database';
import { exampleIdsFile } from '@mostrador/local-platform/services';
import { writePrivately } from '@mostrador/local-platform/write-privately';
import type { DemoOptions, StartedDemo } from './demo/demo.ts';

// The steps of a start that need large libraries, in a process that ends with the start. In the supervisor those would
// stay in memory as long as the platform runs.

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const steps = {
  providePrograms,

  /** Creates and migrates what is missing. Returns the address of the database. */
  async prepareDatabase(options: Parameters<typeof prepareDatabase>[0]): Promise<string> {
    const url = await prepareDatabase(options);
    await migrateAll(url, options.password, { info: say });
    return url;
  },

  async provideDemo(options: Omit<DemoOptions, 'say' | 'natsTls'> & { env: NodeJS.ProcessEnv }): Promise<StartedDemo> {
    const [{ provideDemo }, { readExampleIds }, { natsAddress }] = await Promise.all([
      import('./demo/demo.ts'),
      import('./demo/example-ids.ts'),
      import('../../packages/kit/src/rpc/nats.ts'),
    ]);
    const { tls: natsTls } = natsAddress({ ...options.env, NATS_URL: options.natsUrl });
    const demo = await provideDemo({ ...options, natsTls, say });
    const key = demo.stores[0]?.api_key;
    if (key) writePrivately(exampleIdsFile(options.localDirectory), await readExampleIds(options.baseUrl, key));
    return demo;
  },
};

/** What the process serves, by name. */
export type StartSteps = typeof steps;
/** What each answers. */
export type StartAnswers = { [Name in keyof StartSteps]: Awaited<ReturnType<StartSteps[Name]>> };

servePeer(steps);
