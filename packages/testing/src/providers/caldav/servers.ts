import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@mostrador/local-platform/ports';
import { prepareCaldav } from './environment.ts';

/** A real CalDAV server with one empty calendar. */
export type CaldavServer = {
  readonly collectionUrl: string;
  /** Undefined for a server without authentication. */
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Kills the server. Its data and address stay. Does nothing when it is down. */
  stop(): Promise<void>;
  /** Starts the server again. Does nothing when it runs. */
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  dispose(): Promise<void>;
};

/** Only a machine that stands still needs so long. */
const startTimeoutMs = 120_000;

/** Radicale with a user, a password that can be changed while it runs, and the calendar `tester/appointments`. */
export async function startRadicale(): Promise<
  CaldavServer & {
    changePassword(to: string): Promise<void>;
    /** Makes one more empty calendar, and resolves with its address. */
    makeCalendar(name: string): Promise<string>;
  }
> {
  const username = 'tester';
  let password = 'açaí & 100%';
  const writeUsers = (folder: string) => writeFile(join(folder, 'users'), `${username}:${password}\n`);
  const port = await freePort();
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const { folder, ...server } = await startServer(port, async (folder) => {
    const config = [
      '[server]',
      `hosts = 127.0.0.1:${port}`,
      '[auth]',
      'type = htpasswd',
      `htpasswd_filename = ${join(folder, 'users')}`,
      'htpasswd_encryption = plain',
      'delay = 0',
      '[storage]',
      `filesystem_folder = ${join(folder, 'data')}`,
    ];
    await writeUsers(folder);
    await writeFile(join(folder, 'config'), `${config.join('\n')}\n`);
    return ['radicale', '--config', join(folder, 'config')];
  });
  const makeCalendar = async (name: string): Promise<string> => {
    const url = `http://127.0.0.1:${port}/${username}/${name}/`;
    const made = await fetch(url, { method: 'MKCALENDAR', headers: { authorization } });
    if (made.status !== 201) throw new Error(`Radicale did not create the calendar: HTTP ${made.status}`);
    return url;
  };
  const collectionUrl = await makeCalendar('appointments');
  return {
    ...server,
    collectionUrl,
    makeCalendar,
    username,
    get password() {
      return password;
    },
    async changePassword(to) {
      password = to;
      await writeUsers(folder);
    },
  };
}

/** Xandikos, which has no authentication over plain HTTP. */
export async function startXandikos(): Promise<CaldavServer> {
  const port = await freePort();
  const { folder: _, ...server } = await startServer(port, async (folder) => [
    ...[
      'xandikos',
      'serve',
      '--defaults',
      '--no-detect-systemd',
      '--listen-address',
      '127.0.0.1',
      '--port',
      String(port),
    ],
    ...['--directory', join(folder, 'data'), '--state-dir', join(folder, 'state')],
  ]);
  const collectionUrl = `http://127.0.0.1:${port}/user/calendars/calendar/`;
  return { ...server, collectionUrl, username: undefined, password: undefined };
}

async function startServer(port: number, configure: (folder: string) => Promise<string[]>) {
  const python = await prepareCaldav();
  const folder = await mkdtemp(join(tmpdir(), 'mostrador-caldav-'));
  const command = await configure(folder);
  let child: ChildProcess | undefined;

  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  const start = async (): Promise<void> => {
    if (isRunning()) return;
    // The server ends when its standard input closes, which happens when this process ends.
    const started = spawn(python, ['-B', join(import.meta.dirname, 'serve.py'), ...command], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child = started;
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk).slice(-4000);
    };
    started.stdout.on('data', keep);
    started.stderr.on('data', keep);
    const deadline = Date.now() + startTimeoutMs;
    while (!(await answers(port))) {
      if (started.exitCode !== null) throw new Error(`${command[0]} ended while starting:\n${output}`);
      if (Date.now() > deadline)
        throw new Error(`${command[0]} did not answer within ${startTimeoutMs} ms:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const stop = async (): Promise<void> => {
    if (!child || !isRunning()) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  };
  const dispose = async (): Promise<void> => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
  await start();
  return { folder, start, stop, dispose };
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual', signal: AbortSignal.timeout(10_000) }).then(
    () => true,
    () => false,
  );
