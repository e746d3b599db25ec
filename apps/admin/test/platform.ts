import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { listStores, Operation, StoreRecord } from '@mostrador/contracts';
import { createRpcServer, type Handler, type Handlers } from '@mostrador/kit/rpc/server';
import { silentLog } from '@mostrador/testing/context';
import { startTestNats } from '@mostrador/testing/servers/nats';
import { type Ended, runAt } from './run-here.ts';

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

export async function startTestPlatform<Operations extends Record<string, Operation>>(
  operations: Operations,
  handlers: Handlers<Operations>,
): Promise<TestPlatform> {
  const { nats, url, stop } = await startTestNats();
  const server = createRpcServer({ nats, service: 'admin-test', log: silentLog(), operations, handlers });
  await nats.flush();
  return {
    url,
    run: (argv, { input, natsUrl = url } = {}) => runAt(natsUrl, argv, input),
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
