import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { temporalAddress } from '@mostrador/kit/clients/temporal-address';
import type { ProcessSpec } from '../children.ts';
import type { PortName, Ports } from '../ports.ts';
import { natsPasswords, natsUrlOf } from '../secrets.ts';
import { findNats, natsSpec } from './nats.ts';
import { adminUrl, findPostgres, preparePostgres } from './postgres.ts';
import { findTemporal, temporalSpec } from './temporal.ts';

export type ServerAddresses = {
  /** An administrator's connection to the platform's database. */
  databaseUrl: string;
  /** With the user `admin` when the server is our own. */
  natsUrl: string;
  temporalAddress: string;
  temporalUiUrl: string;
};

export type ServerOptions = {
  localDirectory: string;
  env: NodeJS.ProcessEnv;
  ports: Ports;
  /** The password of our own PostgreSQL's administrator. Those of the services' roles and NATS users derive from it. */
  password: string;
  /** The configuration file of our own NATS server. Default: `infra/nats/platform.conf`. */
  natsConfig?: string;
  start(spec: ProcessSpec): Promise<void>;
  report(text: string): void;
};

/** The ports of the servers that the environment does not provide. */
export const serverPorts = (env: NodeJS.ProcessEnv): PortName[] => [
  ...(env.POSTGRES_URL ? [] : (['postgres'] as const)),
  ...(env.NATS_URL ? [] : (['nats', 'natsMonitor'] as const)),
  ...(env.TEMPORAL_ADDRESS ? [] : (['temporal', 'temporalUi', 'temporalHttp', 'temporalMetrics'] as const)),
];

/** Starts our own PostgreSQL, unless POSTGRES_URL names a server. Returns an administrator's address. */
export async function startPostgres({ env, ports, password, localDirectory, start }: ServerOptions): Promise<string> {
  if (env.POSTGRES_URL) return env.POSTGRES_URL;
  const dataDirectory = join(localDirectory, 'postgres');
  const binaries = findPostgres(env);
  await start(await preparePostgres({ binaries, dataDirectory, port: ports.postgres, password, durable: true }));
  return adminUrl({ port: ports.postgres, password });
}

/** Provides PostgreSQL with the platform's database and roles, at POSTGRES_URL or as our own server. */
export async function providePostgres(options: ServerOptions): Promise<string> {
  const { env, password } = options;
  const serverUrl = await startPostgres(options);
  // Imported here, because the supervisor of `npm start` lets another process do it.
  const { prepareDatabase } = await import('./database.ts');
  return prepareDatabase({ serverUrl, env, password });
}

export async function provideNats(options: ServerOptions): Promise<string> {
  const { env, ports, password, localDirectory } = options;
  if (env.NATS_URL) {
    const { hostname, port } = new URL(env.NATS_URL);
    await mustAnswer('NATS_URL', hostname, Number(port || 4222));
    return env.NATS_URL;
  }
  const binary = await findNats(env, options.report);
  const storeDirectory = join(localDirectory, 'nats');
  const passwords = natsPasswords(password);
  await options.start(
    natsSpec({
      ...{ binary, passwords, storeDirectory, config: options.natsConfig },
      ...{ port: ports.nats, monitorPort: ports.natsMonitor },
    }),
  );
  return natsUrlOf('admin', `nats://127.0.0.1:${ports.nats}`, password);
}

export async function provideTemporal(
  options: ServerOptions,
): Promise<Pick<ServerAddresses, 'temporalAddress' | 'temporalUiUrl'>> {
  const { env, ports, localDirectory } = options;
  if (env.TEMPORAL_ADDRESS) {
    const [host = '', port] = env.TEMPORAL_ADDRESS.split(':');
    await mustAnswer('TEMPORAL_ADDRESS', host, Number(port ?? 7233));
    const settings = { ...env, TEMPORAL_ADDRESS: env.TEMPORAL_ADDRESS, TEMPORAL_TLS: env.TEMPORAL_TLS === 'true' };
    // Imported here, because it takes a while and only a server of the environment needs it.
    const { prepareNamespace } = await import('@mostrador/kit/clients/temporal-prepare');
    await prepareNamespace({
      server: temporalAddress(settings),
      namespace: env.TEMPORAL_NAMESPACE || 'default',
      log: { info: options.report },
    });
    return { temporalAddress: env.TEMPORAL_ADDRESS, temporalUiUrl: env.TEMPORAL_UI_URL ?? '' };
  }
  const binary = await findTemporal(env, options.report);
  const home = join(localDirectory, 'temporal');
  mkdirSync(home, { recursive: true });
  const { temporal: grpc, temporalUi: ui, temporalHttp: http, temporalMetrics: metrics } = ports;
  await options.start(
    temporalSpec({
      ...{ binary, home, databaseFile: join(home, 'temporal.db'), ports: { grpc, ui, http, metrics } },
      // By default it reads its namespaces every 2 s, which is most of what an idle server does. One that it does not know
      // it reads at once.
      dynamicConfig: { 'system.namespaceCacheRefreshInterval': '"60s"' },
    }),
  );
  return { temporalAddress: `127.0.0.1:${grpc}`, temporalUiUrl: `http://127.0.0.1:${ui}` };
}

/** Fails with the setting's name when a server of the environment does not answer within 5 s. */
function mustAnswer(setting: string, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: 5000 });
    const fail = () => {
      socket.destroy();
      reject(new Error(`${setting} is set, but nothing answers at ${host}:${port}.`));
    };
    socket.once('error', fail).once('timeout', fail);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}
