import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { waitFor } from '@mostrador/testing/wait';
import { type Child, type Children, type ProcessSpec, untilReady } from '../../../infra/local/children.ts';
import { root } from '../../../infra/local/paths.ts';
import type { Ports } from '../../../infra/local/ports.ts';
import { adminUrl, findPostgres, preparePostgres } from '../../../infra/local/servers/postgres.ts';
import {
  provideNats,
  providePostgres,
  provideTemporal,
  type ServerAddresses,
  type ServerOptions,
} from '../../../infra/local/servers.ts';

/** A server that faults stop, kill and stall. Its data and its address stay the same. */
export type Server = {
  /** Resolves when the server is ready. Restarts a server that ends during its start. */
  start(): Promise<void>;
  /** Stops the server with its own stop signal, as an operator does. */
  stop(): Promise<void>;
  /** `kill -9` */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open, but nothing answers. */
  stall(): void;
  goOn(): void;
  /** Has the server read its configuration again. */
  reload(): void;
};

export type Servers = ServerAddresses & {
  readonly postgres: Server;
  readonly nats: Server;
  readonly temporal: Server;
  /** Switches JetStream on or off while NATS serves requests. What it stores stays. */
  switchJetStream(state: 'enabled' | 'disabled'): Promise<void>;
};

const readyWithinMs = 60_000;
const stoppedWithinMs = 15_000;
/** A small write-ahead log leaves room on the small disk. */
const postgresSettings = ['max_wal_size=96MB', 'min_wal_size=32MB', 'log_min_messages=fatal'];

/** Starts PostgreSQL (durable, with its own data folder), NATS and Temporal for this run alone. */
export async function startServers(options: {
  folder: string;
  postgresFolder: string;
  ports: Ports;
  password: string;
  children: Children;
}): Promise<Servers> {
  const { folder, postgresFolder, ports, password, children } = options;
  const started = new Map<string, Server>();
  const start = async (spec: ProcessSpec) => {
    const server = createServer(children, async () => spec);
    started.set(spec.name, server);
    await server.start();
  };
  // Prepared before each start, because a killed server leaves its lock file.
  const postgres = createServer(children, async () => {
    const dataDirectory = join(postgresFolder, 'postgres');
    const binaries = findPostgres(process.env);
    const spec = await preparePostgres({ binaries, dataDirectory, port: ports.postgres, password, durable: true });
    return { ...spec, args: [...spec.args, ...postgresSettings.flatMap((setting) => ['-c', setting])] };
  });
  const env: NodeJS.ProcessEnv = { ...process.env, NATS_URL: '', TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '' };
  env.POSTGRES_URL = adminUrl({ port: ports.postgres, password });
  const report = (text: string) => process.stderr.write(`${text}\n`);
  const natsConfig = join(folder, 'nats.conf');
  const configureNats = (jetStream: string) => writeFileSync(natsConfig, natsConfiguration(folder, jetStream));
  configureNats('enabled');
  const serverOptions: ServerOptions = { localDirectory: folder, env, ports, password, natsConfig, start, report };
  mkdirSync(join(folder, 'temporal'), { recursive: true });
  const [databaseUrl, natsUrl, temporal] = await Promise.all([
    postgres.start().then(() => providePostgres(serverOptions)),
    provideNats(serverOptions),
    provideTemporal(serverOptions),
  ]);
  const nats = started.get('nats') as Server;
  return {
    databaseUrl,
    natsUrl,
    ...temporal,
    postgres,
    nats,
    temporal: started.get('temporal') as Server,
    async switchJetStream(state) {
      configureNats(state);
      nats.reload();
      await waitFor(async () => (await jetStreamState(ports)) === state, { description: `JetStream is ${state}` });
    },
  };
}

// An include is relative to the file that has it. The last of two equal settings counts.
const natsConfiguration = (folder: string, jetStream: string): string =>
  `include "${relative(folder, join(root, 'infra/nats/platform.conf'))}"\njetstream: ${jetStream}\n`;

async function jetStreamState({ natsMonitor }: Ports): Promise<'enabled' | 'disabled'> {
  const answer = await fetch(`http://127.0.0.1:${natsMonitor}/jsz`);
  return ((await answer.json()) as { accounts: number }).accounts > 0 ? 'enabled' : 'disabled';
}

function createServer(children: Children, prepare: () => Promise<ProcessSpec>): Server {
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
