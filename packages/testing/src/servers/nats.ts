import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { connectNats, type NatsConnection, type NatsTls } from '@mostrador/kit/rpc/nats';
import { silentLog } from '../context.ts';
import { waitFor } from '../wait.ts';
import { dataFolder } from './data-folder.ts';

/** A test's own NATS server with JetStream, and a connection to it. */
export type TestNats = {
  readonly url: string;
  readonly nats: NatsConnection;
  /** Kills the server, as in a crash. Connections retry until it is back. */
  stopServer(): Promise<void>;
  /** Starts the server again at the same address, with JetStream's stored data. */
  startServer(): Promise<void>;
  /** Freezes the server: connections stay open and nothing answers. */
  freezeServer(): void;
  thawServer(): void;
  /** Closes the connection, stops the server and removes its files. */
  stop(): Promise<void>;
};

/**
 * Starts a NATS server. The program is `TEST_NATS_SERVER`, else `nats-server` on the PATH.
 *
 * @param options `settings`: further lines of its configuration; `tls`, `user`: the client settings that they require
 */
export async function startTestNats(
  options: { settings?: string; tls?: NatsTls; user?: { name: string; password: string } } = {},
): Promise<TestNats> {
  const program = findProgram();
  const directory = await dataFolder('nats');
  const configFile = join(directory, 'nats.conf');
  await writeFile(configFile, `max_payload: 8MB\n${options.settings ?? ''}\n`);
  let port = -1;
  let server: ChildProcess | undefined;

  const startServer = async () => {
    const address = ['-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', directory];
    const started = spawnWithParent(program, ['-c', configFile, '-js', '-sd', directory, ...address]);
    server = started;
    const portsFile = await waitFor(
      async () => (await readdir(directory)).find((name) => name.endsWith(`_${started.pid}.ports`)),
      { description: 'nats-server has created its ports file' },
    );
    const url = await waitFor(
      async () => (JSON.parse(await readFile(join(directory, portsFile), 'utf8')) as { nats: string[] }).nats[0],
      { description: 'nats-server has written its port' },
    );
    port = Number(new URL(url).port);
    return url;
  };
  const stopServer = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };

  const url = await startServer();
  const { name: username = '', password = '' } = options.user ?? {};
  const own = Object.assign(new URL(url), { username, password }).href;
  const nats = await connectNats({ url: own, tls: options.tls, name: 'test', log: silentLog() });
  return {
    url,
    nats,
    stopServer,
    startServer: async () => {
      await startServer();
    },
    freezeServer: () => void server?.kill('SIGSTOP'),
    thawServer: () => void server?.kill('SIGCONT'),
    async stop() {
      await nats.close();
      await stopServer();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function findProgram(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = [process.env.TEST_NATS_SERVER, ...folders.map((folder) => join(folder, 'nats-server'))];
  const program = candidates.find((path) => path !== undefined && existsSync(path));
  if (program === undefined) throw new Error('no nats-server: run the tests with npm test, or set TEST_NATS_SERVER');
  return program;
}

/** Starts a child that the kernel kills when this process ends, even by a kill. */
function spawnWithParent(program: string, args: readonly string[]): ChildProcess {
  const options = { stdio: 'ignore' } as const;
  const setpriv = '/usr/bin/setpriv';
  if (!existsSync(setpriv)) return spawn(program, args, options);
  return spawn(setpriv, ['--pdeathsig', 'KILL', program, ...args], options);
}
