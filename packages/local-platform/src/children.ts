import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** How to start a process, check that it is ready, and stop it. */
export type ProcessSpec = {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  /** Another user to run as, with permission to enter folders that are closed to that user (root only). */
  runAs?: { uid: number; gid: number };
  stopSignal: StopSignal;
  /** Returns true when the process is ready, otherwise why not. The error after the time limit quotes it. */
  isReady(): Promise<true | string>;
  /** Whether an answer of `isReady` says that only a restart helps. */
  needsRestart?(answer: true | string): boolean;
};

export type Child = {
  name: string;
  pid: number;
  exited: Promise<string>;
  hasExited(): boolean;
  /** The last 20 lines of its output, which may tell why it ended. */
  tail(): string;
  /** Asks it to stop, and kills it after the limit. */
  stop(limitMs: number): Promise<void>;
  kill(): void;
};

export type Children = {
  start(spec: ProcessSpec, onLine?: (line: string) => void): Child;
  /** Stops the processes that an earlier, killed run left behind. Call it only with the lock held. */
  stopSurvivors(limitMs: number): Promise<string[]>;
};

type Survivor = ProcessIdentity & { name: string; stopSignal: StopSignal };

const tailLines = 20;

/** Starts children that end with their parent where `setpriv` supports it. A file records them for other systems. */
export function createChildren(recordPath: string): Children {
  const living = new Map<number, Survivor>();
  const diesWithParent = spawnSync('setpriv', ['--pdeathsig', 'TERM', '--', 'true']).status === 0;

  const record = () => {
    mkdirSync(dirname(recordPath), { recursive: true });
    writeFileSync(`${recordPath}.new`, JSON.stringify([...living.values()]));
    renameSync(`${recordPath}.new`, recordPath);
  };

  return {
    start(spec, onLine) {
      const [command, args] = wrapped(spec, diesWithParent);
      // A separate session: Ctrl-C in the terminal reaches only the supervisor, which stops the children in order.
      const spawned = spawn(command, args, {
        env: spec.env ?? process.env,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const identity = spawned.pid === undefined ? undefined : identify(spawned.pid);
      if (identity) {
        living.set(identity.pid, { ...identity, name: spec.name, stopSignal: spec.stopSignal });
        record();
      }
      return childOf(spec, spawned, onLine, () => {
        if (identity && living.delete(identity.pid)) record();
      });
    },

    async stopSurvivors(limitMs) {
      const survivors = readSurvivors(recordPath).filter(isRunning);
      for (const { pid, stopSignal } of survivors) signal(pid, stopSignal);
      const until = Date.now() + limitMs;
      while (survivors.some(isRunning) && Date.now() < until) await pause(25);
      for (const survivor of survivors.filter(isRunning)) signal(survivor.pid, 'SIGKILL');
      while (survivors.some(isRunning) && Date.now() < until + 2000) await pause(25);
      return survivors.map((survivor) => survivor.name);
    },
  };
}

/** How long a process of a test may take until it is ready. Only a machine that stands still needs so long. */
export const readyWithinMs = 180_000;

/** Waits until the child is ready. Throws with its last lines when it ends first or the limit passes. */
export async function untilReady(spec: ProcessSpec, child: Child, limitMs = readyWithinMs): Promise<void> {
  const until = Date.now() + limitMs;
  let answer: true | string = 'no answer yet';
  for (;;) {
    if (child.hasExited())
      throw new Error(`${spec.name} ended (${await child.exited}) before it was ready\n${child.tail()}`);
    answer = await spec.isReady();
    if (answer === true) return;
    if (Date.now() > until) {
      throw new Error(`${spec.name} was not ready within ${limitMs / 1000} s: ${answer}\n${child.tail()}`);
    }
    await pause(25);
  }
}

/** Returns true when the address answers 2xx, otherwise the answer or the error. */
export function httpAnswers(url: string): Promise<true | string> {
  return new Promise((resolve) => {
    // Not `fetch`: compiling its parser takes 10 MB, which the supervisor would keep.
    const request = get(url, { agent: false, signal: AbortSignal.timeout(2000) }, (response) => {
      text(response).then((body) => {
        const { statusCode = 0 } = response;
        resolve((statusCode >= 200 && statusCode < 300) || `${statusCode} ${body.slice(0, 500)}`);
      }, fail);
    });
    const fail = (error: Error) => resolve(error.message);
    request.once('error', fail);
  });
}

function wrapped(spec: ProcessSpec, diesWithParent: boolean): [string, string[]] {
  const flags: string[] = [];
  if (spec.runAs) {
    // Without these capabilities, the other user could not enter a clone inside a folder that is closed to others.
    flags.push('--reuid', String(spec.runAs.uid), '--regid', String(spec.runAs.gid), '--clear-groups');
    flags.push('--securebits', '+no_setuid_fixup', '--inh-caps', '+dac_override', '--ambient-caps', '+dac_override');
  }
  if (diesWithParent) flags.push('--pdeathsig', spec.stopSignal.slice(3));
  return flags.length === 0 ? [spec.command, spec.args] : ['setpriv', [...flags, '--', spec.command, ...spec.args]];
}

function childOf(
  spec: ProcessSpec,
  spawned: ChildProcess,
  onLine: ((line: string) => void) | undefined,
  onEnd: () => void,
): Child {
  const last: string[] = [];
  for (const stream of [spawned.stdout, spawned.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      last.push(line);
      if (last.length > tailLines) last.shift();
      onLine?.(line);
    });
  }
  let ended = false;
  const exited = new Promise<string>((resolve) => {
    const finish = (how: string) => {
      ended = true;
      onEnd();
      resolve(how);
    };
    spawned.once('error', (error) => finish(error.message));
    spawned.once('exit', (code, signalName) => finish(signalName ?? `exit code ${code}`));
  });
  const send = (name: NodeJS.Signals) => {
    if (!ended) spawned.kill(name);
  };
  return {
    name: spec.name,
    pid: spawned.pid ?? -1,
    exited,
    hasExited: () => ended,
    tail: () => last.join('\n'),
    async stop(limitMs) {
      send(spec.stopSignal);
      const timer = setTimeout(() => send('SIGKILL'), limitMs);
      await exited;
      clearTimeout(timer);
    },
    kill: () => send('SIGKILL'),
  };
}

function readSurvivors(recordPath: string): Survivor[] {
  try {
    return JSON.parse(readFileSync(recordPath, 'utf8'));
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}
