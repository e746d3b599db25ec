import { setTimeout as pause } from 'node:timers/promises';
import { type Child, type Children, type ProcessSpec, untilReady } from './children.ts';
import type { Output } from './output.ts';

export type Supervisor = {
  /** Starts a process and resolves when it is ready. From then on it is restarted whenever it ends or needs it. */
  start(spec: ProcessSpec): Promise<void>;
  /** Stops the named processes in parallel, each within the limit. */
  stop(names: readonly string[], limitMs: number): Promise<void>;
  /** Prevents all further starts and restarts. */
  startNoMore(): void;
  killAll(): void;
};

const readyWithinMs = 60_000;
const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** A process that ran this long before it ended is not in a crash loop. */
const steadyAfterMs = 30_000;
const checkEveryMs = 5_000;
/** How long a process that needs a restart may take to stop. */
const stopWithinMs = 5_000;

export function createSupervisor(children: Children, output: Output, everyMs = checkEveryMs): Supervisor {
  const running = new Map<string, Child>();
  let open = true;

  const launch = (spec: ProcessSpec, onLine: (line: string) => void): Child => {
    if (!open) throw new Error(`${spec.name} was not started, because the platform is stopping`);
    const child = children.start(spec, onLine);
    running.set(spec.name, child);
    return child;
  };

  const watch = async (spec: ProcessSpec, first: Child, onLine: (line: string) => void): Promise<void> => {
    let child = first;
    let pauseMs = firstPauseMs;
    for (;;) {
      const startedAt = Date.now();
      const how = await child.exited;
      if (!open) return;
      if (Date.now() - startedAt > steadyAfterMs) pauseMs = firstPauseMs;
      output.say(`${spec.name} ended (${how}); it restarts in ${pauseMs / 1000} s`);
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      if (!open) return;
      child = launch(spec, onLine);
    }
  };

  /** Stops a process that runs and is of no use. `watch` restarts it. */
  const check = async (spec: ProcessSpec): Promise<void> => {
    while (open) {
      await pause(everyMs, undefined, { ref: false });
      const child = running.get(spec.name);
      if (!open || !child || child.hasExited() || !spec.needsRestart?.(await spec.isReady())) continue;
      output.say(`${spec.name} answers, but only a restart helps: it is stopped`);
      await child.stop(stopWithinMs);
    }
  };

  return {
    async start(spec) {
      const onLine = output.linesOf(spec.name);
      const child = launch(spec, onLine);
      await untilReady(spec, child, readyWithinMs);
      void watch(spec, child, onLine);
      if (spec.needsRestart) void check(spec);
    },
    async stop(names, limitMs) {
      await Promise.all(names.map((name) => running.get(name)?.stop(limitMs)));
    },
    startNoMore() {
      open = false;
    },
    killAll() {
      for (const child of running.values()) child.kill();
    },
  };
}
