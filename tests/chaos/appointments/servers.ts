import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, type Children, type ProcessSpec, untilReady } from '../../../infra/local/children.ts';
import { freePort } from '../../../infra/local/ports.ts';
import { findNats, natsSpec } from '../../../infra/local/servers/nats.ts';
import { adminUrl, findPostgres, preparePostgres } from '../../../infra/local/servers/postgres.ts';
import { findTemporal, temporalSpec } from '../../../infra/local/servers/temporal.ts';

/** A server that is stopped, killed and stalled at will; its data and its address stay. */
export type Server = {
  /** Resolves when it serves. */
  start(): Promise<void>;
  /** In order, as an operator does. */
  stop(): Promise<void>;
  /** `kill -9` */
  kill(): Promise<void>;
  /** Connections stay open, and nothing answers. */
  stall(): void;
  goOn(): void;
};

export type Servers = {
  readonly postgres: Server;
  readonly nats: Server;
  readonly temporal: Server;
  /** An administrator's. */
  readonly postgresUrl: string;
  readonly natsUrl: string;
  readonly temporalAddress: string;
};

const readyWithinMs = 60_000;
const stoppedWithinMs = 15_000;

/** Starts PostgreSQL (durable, as in life), NATS and Temporal for this run alone. */
export async function startServers(folder: string, children: Children): Promise<Servers> {
  const report = (text: string) => process.stderr.write(`${text}\n`);
  const [nats, temporal] = await Promise.all([findNats(process.env, report), findTemporal(process.env, report)]);
  const ports = await Promise.all(Array.from({ length: 6 }, freePort));
  const [postgresPort = 0, natsPort = 0, monitorPort = 0, grpc = 0, http = 0, metrics = 0] = ports;
  const password = randomBytes(16).toString('hex');
  const home = join(folder, 'temporal');
  mkdirSync(home, { recursive: true });
  const servers = {
    // Prepared anew before each start: a killed one leaves its lock file.
    postgres: createServer(children, () =>
      preparePostgres({
        binaries: findPostgres(process.env),
        dataDirectory: join(folder, 'postgres'),
        port: postgresPort,
        password,
        durable: true,
      }),
    ),
    nats: createServer(children, async () =>
      natsSpec({ binary: nats, storeDirectory: join(folder, 'nats'), port: natsPort, monitorPort }),
    ),
    temporal: createServer(children, async () =>
      temporalSpec({ binary: temporal, home, databaseFile: join(home, 'temporal.db'), ports: { grpc, http, metrics } }),
    ),
  };
  await Promise.all(Object.values(servers).map((server) => server.start()));
  return {
    ...servers,
    postgresUrl: adminUrl({ port: postgresPort, password }),
    natsUrl: `nats://127.0.0.1:${natsPort}`,
    temporalAddress: `127.0.0.1:${grpc}`,
  };
}

function createServer(children: Children, prepare: () => Promise<ProcessSpec>): Server {
  let child: Child | undefined;
  const family = (): number[] => (child && !child.hasExited() ? [child.pid, ...childrenOf(child.pid)] : []);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of family()) {
      try {
        process.kill(pid, name);
      } catch {
        // A backend that has ended meanwhile.
      }
    }
  };
  return {
    async start() {
      if (child && !child.hasExited()) return;
      const spec = await prepare();
      child = children.start(spec);
      await untilReady(spec, child, readyWithinMs);
    },
    stop: async () => await child?.stop(stoppedWithinMs),
    async kill() {
      child?.kill();
      await child?.exited;
    },
    stall: () => signal('SIGSTOP'),
    goOn: () => signal('SIGCONT'),
  };
}

/** PostgreSQL answers by processes of their own, each of which must stand still. */
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
