import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { listStores, Operation, StoreRecord } from '@mostrador/contracts';
import { createRpcServer, type Handler, type Handlers } from '@mostrador/kit/rpc/server';
import { silentLog } from '@mostrador/testing/context';
import { startTestNats } from '@mostrador/testing/servers/nats';
import { readConfig } from '../src/config.ts';
import { createPlatform } from '../src/platform.ts';
import { runAdmin } from '../src/run.ts';
import { createTerminal } from '../src/terminal.ts';

const main = join(import.meta.dirname, '../src/main.ts');

/** NATS with a service that answers the command's calls, and the command itself. */
export type TestPlatform = {
  /** The address of NATS. */
  readonly url: string;
  /** Runs the command as `npm run admin` does, in this process. */
  run(argv: readonly string[], options?: { input?: string; natsUrl?: string }): Promise<Ended>;
  /** Runs the command in a process of its own. */
  runProcess(argv: readonly string[], options?: { input?: string; natsUrl?: string }): Promise<Ended>;
  stop(): Promise<void>;
};

type Ended = { readonly out: string; readonly err: string; readonly exitCode: number | null };

/** A store as accounts shows it to the command. */
export const storeRecord = (id: string, settings: Partial<StoreRecord> = {}): StoreRecord => ({
  ...{ id, name: 'Loja', tier: 'pro', timezone: 'UTC', locale: 'pt-BR', country: null, requests_per_minute: 6000 },
  ...{ created_at: '2026-11-21T09:00:00.000Z', updated_at: '2026-11-21T09:00:00.000Z' },
  ...settings,
});

/** Knows every store. */
export const anyStore: Handler<typeof listStores> = async (_context, { body }) => ({
  stores: body.store_id === undefined ? [] : [storeRecord(body.store_id)],
  more: false,
});

type Streams = Parameters<typeof createTerminal>[0];

/** Runs the command in this process. Its output is no terminal, and no signal reaches it. */
export async function runHere(argv: readonly string[], natsUrl: string, input = ''): Promise<Ended> {
  const texts = { out: '', err: '' };
  const collector = (name: keyof typeof texts) =>
    new Writable({
      write(chunk, _encoding, done) {
        texts[name] += String(chunk);
        done();
      },
    });
  const streams = Object.assign(new EventEmitter(), {
    stdin: Readable.from([input]),
    stdout: collector('out'),
    stderr: collector('err'),
    exit: (code: number) => {
      throw new Error(`the command exited with ${code}`);
    },
  });
  const platform = createPlatform(readConfig({ ...process.env, NATS_URL: natsUrl }));
  const exitCode = await runAdmin(argv, { platform, terminal: createTerminal(streams as unknown as Streams) });
  await platform.close();
  return { ...texts, exitCode };
}

export async function startTestPlatform<Operations extends Record<string, Operation>>(
  operations: Operations,
  handlers: Handlers<Operations>,
): Promise<TestPlatform> {
  const { nats, url, stop } = await startTestNats();
  const server = createRpcServer({ nats, service: 'admin-test', log: silentLog(), operations, handlers });
  await nats.flush();
  return {
    url,
    run: (argv, { input, natsUrl = url } = {}) => runHere(argv, natsUrl, input),
    async runProcess(argv, { input = '', natsUrl = url } = {}) {
      const child = spawn(process.execPath, [main, ...argv], { env: { ...process.env, NATS_URL: natsUrl } });
      child.stdin.end(input);
      const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
      const [out, err, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
      return { out, err, exitCode };
    },
    async stop() {
      await server.drain();
      await stop();
    },
  };
}
