import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUsers } from '../../../infra/postgres/roles.ts';
import { httpAnswers, type ProcessSpec } from './children.ts';
import { migrateSchemas } from './migrations.ts';
import { root } from './paths.ts';
import type { Ports } from './ports.ts';
import { natsUrlOf } from './secrets.ts';
import { roleUrl } from './servers/role-passwords.ts';
import type { ServerAddresses } from './servers/servers.ts';

/** The processes of the platform. A group stops after the previous group has stopped. */
export const stopOrder = [
  ['gateway'],
  ['workflows'],
  ['crm', 'scheduling', 'messaging', 'events', 'accounts'],
] as const;
export const processNames = stopOrder.flat();
type ProcessName = (typeof processNames)[number];

export type ServiceOptions = ServerAddresses & {
  localDirectory: string;
  env: NodeJS.ProcessEnv;
  ports: Ports;
  password: string;
  encryptionKeys: string;
  shutdownTimeoutMs: number;
  /** The built console; undefined: there is none. */
  consoleDirectory?: string;
};

export const publicUrl = (ports: Ports): string => `http://127.0.0.1:${ports.gateway}`;

/** The file with the demo store's ids, which the API's reference shows. */
export const exampleIdsFile = (localDirectory: string): string => join(localDirectory, 'example-ids.json');

/** Applies the migrations of every schema: all of them, unless the previous version runs beside this one. */
export const migrateAll = (
  databaseUrl: string,
  password: string,
  log: { info(text: string): void },
  options?: { contract: boolean },
): Promise<void> => migrateSchemas((schema) => roleUrl(databaseUrl, `${schema}_owner`, password), log, options);

export function serviceSpec(name: ProcessName, options: ServiceOptions): ProcessSpec {
  const main = join(root, name === 'workflows' ? 'workflows' : `services/${name}`, 'src/main.ts');
  if (!existsSync(main)) throw new Error(`${main} does not exist.`);
  return {
    name,
    command: process.execPath,
    // A larger young generation only keeps garbage longer, and so does an old one that may grow to a quarter of the
    // machine. Together this saves 50 to 200 MB in each process under load, for 5 % more processor time: docs/adr/0016.
    args: ['--max-semi-space-size=4', '--max-old-space-size=768', main],
    env: { ...options.env, ...common(name, options), ...database(name, options), ...particular(name, options) },
    stopSignal: 'SIGTERM',
    isReady: () => httpAnswers(`http://127.0.0.1:${options.ports[name]}/readyz`),
  };
}

const common = (name: ProcessName, options: ServiceOptions): NodeJS.ProcessEnv => ({
  NATS_URL: natsUrl(name, options),
  TEMPORAL_ADDRESS: options.temporalAddress,
  LOG_FORMAT: 'json', // formatted for the terminal here, unchanged in the log file
  SHUTDOWN_TIMEOUT_MS: String(options.shutdownTimeoutMs),
  // Each thread of V8 would keep memory of its own.
  MALLOC_ARENA_MAX: '1',
  // Types are stripped once, not at every start.
  NODE_COMPILE_CACHE: join(options.localDirectory, 'cache/node'),
});

/** The address with the process's own user, unless NATS_URL is set or the server has no users. */
function natsUrl(user: ProcessName, { natsUrl, env, password }: ServiceOptions): string {
  return env.NATS_URL || !new URL(natsUrl).username ? natsUrl : natsUrlOf(user, natsUrl, password);
}

function database(name: ProcessName, { databaseUrl, password }: ServiceOptions): NodeJS.ProcessEnv {
  if (!(databaseUsers as readonly string[]).includes(name)) return {};
  return {
    ...(name !== 'gateway' && { DATABASE_URL: roleUrl(databaseUrl, name, password) }),
    DATABASE_SYSTEM_URL: roleUrl(databaseUrl, `${name}_system`, password),
  };
}

function particular(name: ProcessName, options: ServiceOptions): NodeJS.ProcessEnv {
  const port = String(options.ports[name]);
  // One listener has both: a clone has only so many ports.
  const health = { HEALTH_HOST: '127.0.0.1', HEALTH_PORT: port, METRICS_PORT: port };
  switch (name) {
    case 'gateway':
      return {
        HTTP_HOST: '127.0.0.1',
        HTTP_PORT: String(options.ports.gateway),
        METRICS_PORT: String(options.ports.gatewayMetrics),
        PUBLIC_URL: publicUrl(options.ports),
        EXAMPLE_IDS_FILE: exampleIdsFile(options.localDirectory),
        CONSOLE_DIRECTORY: options.consoleDirectory,
        TEMPORAL_UI_URL: options.temporalUiUrl,
        SANDBOX_WRITES_PER_MINUTE: options.env.SANDBOX_WRITES_PER_MINUTE || '6000',
        // No load balancer has to notice that it stops.
        DRAIN_DELAY_MS: options.env.DRAIN_DELAY_MS ?? '0',
      };
    case 'messaging':
      return {
        ...particular('scheduling', options),
        ...health,
        // The data of a platform for development is invented.
        SANDBOX_TELEPHONE: options.env.SANDBOX_TELEPHONE || 'any',
        SANDBOX_TELEPHONE_DAYS: options.env.SANDBOX_TELEPHONE_DAYS || '365',
      };
    case 'scheduling':
      return {
        ...health,
        ENCRYPTION_KEYS: options.encryptionKeys,
        PUBLIC_URL: publicUrl(options.ports),
        // Calendars and stand-ins of providers on this machine.
        PROVIDER_ALLOW_HOSTS: options.env.PROVIDER_ALLOW_HOSTS || '127.0.0.1,::1',
      };
    case 'accounts':
      return { ...health, PUBLIC_URL: publicUrl(options.ports) };
    case 'events':
      return {
        ...health,
        ENCRYPTION_KEYS: options.encryptionKeys,
      };
    case 'workflows':
      return { ...health, WORKFLOW_BUNDLE_CACHE: join(options.localDirectory, 'cache/workflows') };
    default:
      return health;
  }
}
