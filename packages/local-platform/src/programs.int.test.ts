import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ProcessName, processes, processNames } from '@mostrador/platform/processes';
import { expect, test } from 'vitest';
import { root } from './paths.ts';
import { portsFrom } from './ports.ts';
import { providePrograms } from './programs.ts';
import { serviceSpec } from './services.ts';

const specFor = (name: ProcessName, programs?: string) =>
  serviceSpec(name, {
    programs,
    databaseUrl: 'postgres://postgres@127.0.0.1/mostrador',
    natsUrl: 'nats://127.0.0.1:4222',
    temporalAddress: '127.0.0.1:7233',
    temporalUiUrl: '',
    localDirectory: '/nowhere',
    env: {},
    ports: portsFrom(20_000),
    password: 'of this clone',
    encryptionKeys: 'k1:',
    shutdownTimeoutMs: 1000,
  });

test.each(processNames)(
  'the bundle of %s runs as its sources do, and its code is compiled into its folder',
  async (name) => {
    const programs = await providePrograms();
    const [bundled, fromSources] = [specFor(name, programs), specFor(name)];
    expect(bundled.env?.NODE_COMPILE_CACHE).toBe(join(programs, 'compiled'));
    expect(fromSources.args.at(-1)).toBe(join(root, processes[name].program));
    // Without an environment, both say which variables they need.
    const [faults, ofSources] = await Promise.all([bundled, fromSources].map(({ args }) => endOf(args)));
    expect(faults).toContain('NATS_URL is required');
    expect(faults).toBe(ofSources);
  },
);

const endOf = (args: string[]) =>
  promisify(execFile)(process.execPath, args, { env: {} }).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  );
