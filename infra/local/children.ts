import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** How a process is started, known to be ready, and asked to stop. */
export type ProcessSpec = {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  /** Another user to run as, with the right to pass folders that are closed to it (root only). */
  runAs?: { uid: number; gid: number };
  stopSignal: StopSignal;
  /** True once it serves; what it says else is shown when it never does. */
  isReady(): Promise<true | string>;
};

export type Child = {
  name: string;
  pid: number;
  exited: Promise<string>;
  hasExited(): boolean;
  /** The last lines it wrote, to say why it ended. */
  tail(): string;
  /** Asks it to stop, and kills it when the limit has passed. */
  stop(limitMs: number): Promise<void>;
  kill(): void;
};

export type Children = {
  start(spec: ProcessSpec, onLine?: (line: string) => void): Child;
  /** Ends what an earlier, killed run left behind. Call it under the lock only. */
  stopSurvivors(limitMs: number): Promise<string[]>;
};

type Survivor = ProcessIdentity & { name: string; stopSignal: StopSignal };

const tailLines = 20;

/** Children that end with their parent (where the system can do that) and are remembered in a file for where it cannot. */
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
      // A session of its own: Ctrl-C in the terminal reaches the supervisor alone, which stops in order.
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

/** Waits until the child serves. Throws with its last lines when it ends first or the limit passes. */
export async function untilReady(spec: ProcessSpec, child: Child, limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  let answer: true | string = 'it was not asked yet';
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

/** True when the address answers 2xx, else what it said. */
export async function httpAnswers(url: string): Promise<true | string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    const body = await response.text();
    return response.ok || `${response.status} ${body.slice(0, 500)}`;
  } catch (error) {
    return (error as Error & { cause?: Error }).cause?.message ?? (error as Error).message;
  }
}

function wrapped(spec: ProcessSpec, diesWithParent: boolean): [string, string[]] {
  const flags: string[] = [];
  if (spec.runAs) {
    // Without these capabilities another user could not pass a clone below a folder that is closed to others.
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
    // It ended in between, which is what was wanted.
  }
}
