import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Children, ProcessSpec } from '@mostrador/local-platform/children';
import { root } from '@mostrador/local-platform/paths';
import type { Ports } from '@mostrador/local-platform/ports';
import {
  provideNats,
  providePostgres,
  provideTemporal,
  type ServerAddresses,
  type ServerOptions,
} from '@mostrador/local-platform/servers/servers';
import type { Certificates } from '@mostrador/testing/servers/certificates';
import { waitFor } from '@mostrador/testing/wait';
import { createPostgresPair, type PostgresPair } from './postgres-pair.ts';
import { createServer, type Server } from './server.ts';

export type Servers = ServerAddresses & {
  readonly postgres: PostgresPair;
  readonly nats: Server;
  readonly temporal: Server;
  /** Switches JetStream on or off while NATS serves requests. What it stores stays. */
  switchJetStream(state: 'enabled' | 'disabled'): Promise<void>;
};

/** Starts PostgreSQL (durable, in the first of its folders), NATS and Temporal for this run alone. */
export async function startServers(options: {
  folder: string;
  postgresFolders: readonly [string, string];
  ports: Ports;
  password: string;
  /** The certificate of PostgreSQL; undefined: it has none. */
  tls: Certificates['server'] | undefined;
  children: Children;
  /** Further settings of PostgreSQL. */
  postgresSettings?: readonly string[];
}): Promise<Servers> {
  const { folder, postgresFolders, ports, password, tls, children, postgresSettings } = options;
  const started = new Map<string, Server>();
  const start = async (spec: ProcessSpec) => {
    const server = createServer(children, async () => spec);
    started.set(spec.name, server);
    await server.start();
  };
  const postgres = createPostgresPair({
    ...{ folders: postgresFolders, ports, password, tls, children, settings: postgresSettings },
  });
  const env: NodeJS.ProcessEnv = { ...process.env, NATS_URL: '', TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '' };
  env.POSTGRES_URL = postgres.url();
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
  const database = new URL(databaseUrl).pathname.slice(1);
  return {
    get databaseUrl() {
      return postgres.url(database);
    },
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
