import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Child, type Children, type ProcessSpec, untilReady } from '@mostrador/local-platform/children';
import { type ProcessName, processNames } from '../../../packages/platform/src/processes.ts';
import type { Ending } from './seen.ts';

export type { ProcessName };
/** A second instance of a process. It runs the code of `--beside` if that is given. */
export type TwinName = `${ProcessName}-2`;
type Name = ProcessName | TwinName;

export const twinOf = (name: ProcessName): TwinName => `${name}-2`;

const againAfterMs = 300;
const stoppedWithinMs = 8_000;
const shownOfLine = 300;

/** Runs the platform's processes. Like a supervisor, restarts a process that ends without `stop`. */
export function createProcesses(options: {
  children: Children;
  folder: string;
  specOf(name: Name): Promise<ProcessSpec>;
}) {
  const { children, folder, specOf } = options;
  const running = new Map<Name, Child>();
  const wanted = new Map<Name, ProcessSpec>();
  const toldToEnd = new WeakSet<Child>();
  const endings: Ending[] = [];

  const launch = (name: Name, spec: ProcessSpec): Child => {
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
    const child = children.start(spec, (line) => log.write(`${line}\n`));
    running.set(name, child);
    void child.exited.then(async (how) => {
      log.end(`ended: ${how}\n`);
      if (!toldToEnd.has(child)) {
        const lastLine = child.tail().split('\n').at(-1)?.slice(0, shownOfLine) ?? '';
        endings.push({ process: name, how, at: new Date().toISOString(), lastLine });
      }
      running.delete(name);
      await pause(againAfterMs);
      if (wanted.get(name) === spec && !running.has(name)) launch(name, spec);
    });
    return child;
  };
  const start = async (...names: Name[]) => {
    await Promise.all(
      names.map(async (name) => {
        const spec = await specOf(name);
        wanted.set(name, spec);
        await untilReady(spec, launch(name, spec));
      }),
    );
  };
  /** The process of this name, which is told to end now. */
  const ending = (name: Name): Child | undefined => {
    const child = running.get(name);
    if (child && !child.hasExited()) toldToEnd.add(child);
    return child;
  };
  const stop = async (...names: Name[]) => {
    for (const name of names) wanted.delete(name);
    await Promise.all(names.map((name) => ending(name)?.stop(stoppedWithinMs)));
  };
  return {
    start,
    /** Starts a process with further arguments of Node, and does not wait until it is ready. */
    async launch(name: Name, args: readonly string[]) {
      const spec = await specOf(name);
      const changed = { ...spec, args: [...args, ...spec.args] };
      wanted.set(name, changed);
      launch(name, changed);
    },
    /** Stops processes with SIGTERM, as a deployment does. */
    stop,
    /** `kill -9` of all these at once. Skips a process that is just being restarted. */
    kill(...names: Name[]) {
      for (const name of names) ending(name)?.kill();
    },
    /** SIGSTOP: connections stay open, but nothing answers. */
    stall: (name: Name) => signal(running.get(name), 'SIGSTOP'),
    goOn: (name: Name) => signal(running.get(name), 'SIGCONT'),
    isRunning: (name: Name) => running.has(name),
    /** The processes that ended by themselves, until now. */
    endings: (): Ending[] => [...endings],
    async stopAll() {
      for (const child of running.values()) signal(child, 'SIGCONT');
      await stop(...(['gateway', 'gateway-2'] as const));
      await stop(...[...wanted.keys()]);
    },
  };
}

function signal(child: Child | undefined, name: NodeJS.Signals): void {
  try {
    if (child && !child.hasExited()) process.kill(child.pid, name);
  } catch {
    // The process has just ended.
  }
}

export const allProcesses: readonly ProcessName[] = processNames;
