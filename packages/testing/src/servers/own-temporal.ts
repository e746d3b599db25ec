import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { searchAttributes } from '@mostrador/contracts/workflows';
import { freePorts } from '@mostrador/local-platform/ports';
import { dataFolder } from './data-folder.ts';

/** A test's own Temporal server, which the test can kill and start again. It keeps its workflows. */
export type OwnTemporal = {
  readonly address: string;
  start(): void;
  /** Kills the server, as in a crash. */
  kill(): Promise<void>;
  remove(): Promise<void>;
};

/** Chooses an address. The server does not run until `start`. The program is `TEST_TEMPORAL_SERVER`. */
export async function prepareOwnTemporal(): Promise<OwnTemporal> {
  const program = process.env.TEST_TEMPORAL_SERVER;
  if (!program) throw new Error('TEST_TEMPORAL_SERVER is not set: run the tests with npm test');
  const folder = await dataFolder('temporal');
  const [port, httpPort, metricsPort] = await freePorts(3);
  const args = [
    ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--log-level', 'never'],
    ...['--port', `${port}`, '--http-port', `${httpPort}`, '--metrics-port', `${metricsPort}`],
    ...['--db-filename', join(folder, 'temporal.db'), '--sqlite-pragma', 'journal_mode=wal'],
    ...Object.values(searchAttributes).flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
  ];
  let server: ChildProcess | undefined;

  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };
  return {
    address: `127.0.0.1:${port}`,
    start() {
      // The server must not outlive a killed test run.
      const setpriv = '/usr/bin/setpriv';
      server = existsSync(setpriv)
        ? spawn(setpriv, ['--pdeathsig', 'KILL', program, ...args], { stdio: 'ignore' })
        : spawn(program, args, { stdio: 'ignore' });
    },
    kill,
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
