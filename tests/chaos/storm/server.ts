import { readdirSync, readFileSync } from 'node:fs';
import {
  type Child,
  type Children,
  type ProcessSpec,
  readyWithinMs,
  untilReady,
} from '@mostrador/local-platform/children';

/** A server that faults stop, kill and stall. Its data and its address stay the same. */
export type Server = {
  /** Resolves when the server is ready. Restarts a server that ends during its start. */
  start(): Promise<void>;
  /** Stops the server with its own stop signal, as an operator does. */
  stop(): Promise<void>;
  /** `kill -9` */
  kill(): Promise<void>;
  /** Kills its child processes, too, as when its machine fails. */
  killAll(): Promise<void>;
  /** SIGSTOP: connections stay open, but nothing answers. */
  stall(): void;
  goOn(): void;
  /** Has the server read its configuration again. */
  reload(): void;
};

const stoppedWithinMs = 15_000;

/** `prepare` runs before each start. */
export function createServer(children: Children, prepare: () => Promise<ProcessSpec>): Server {
  let child: Child | undefined;
  let spec: ProcessSpec | undefined;
  const family = (): number[] => (child && !child.hasExited() ? [child.pid, ...childrenOf(child.pid)] : []);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of family()) {
      try {
        process.kill(pid, name);
      } catch {
        // A backend that has just ended.
      }
    }
  };
  return {
    async start() {
      const until = performance.now() + readyWithinMs;
      for (;;) {
        if (!child || child.hasExited()) {
          spec = await prepare();
          child = children.start(spec);
        }
        try {
          return await untilReady(spec as ProcessSpec, child, until - performance.now());
        } catch (error) {
          if (performance.now() > until || !child.hasExited()) throw error;
        }
      }
    },
    stop: async () => await child?.stop(stoppedWithinMs),
    async kill() {
      child?.kill();
      await child?.exited;
    },
    async killAll() {
      signal('SIGKILL');
      await child?.exited;
    },
    stall: () => signal('SIGSTOP'),
    goOn: () => signal('SIGCONT'),
    reload: () => signal('SIGHUP'),
  };
}

/** Child processes of a server. PostgreSQL has one per connection, and a stall must stop each. */
function childrenOf(parent: number): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}
