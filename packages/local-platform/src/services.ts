import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileVariable } from '@mostrador/platform/environment';
import { healthPaths, nodeFlags, type ProcessName, processes, runtimeEnvironment } from '@mostrador/platform/processes';
import { httpAnswers, type ProcessSpec } from './children.ts';
import { root } from './paths.ts';
import type { Ports } from './ports.ts';
import { bundled } from './programs.ts';
import { natsUrlOf } from './secrets.ts';
import { ownRoleUrl } from './servers/role-passwords.ts';
import type { ServerAddresses } from './servers/servers.ts';

export type ServiceOptions = ServerAddresses & {
  localDirectory: string;
  env: NodeJS.ProcessEnv;
  ports: Ports;
  password: string;
  encryptionKeys: string;
  shutdownTimeoutMs: number;
  /** The folder of `providePrograms`. Undefined: the processes run their sources. */
  programs?: string | undefined;
  /** The built console; undefined: there is none. */
  consoleDirectory?: string;
};

export const publicUrl = (ports: Ports): string => `http://127.0.0.1:${ports.gateway}`;

/** The file with the demo store's ids, which the API's reference shows. */
export const exampleIdsFile = (localDirectory: string): string => join(localDirectory, 'example-ids.json');

export function serviceSpec(name: ProcessName, options: ServiceOptions): ProcessSpec {
  const { program, listener } = processes[name];
  const main = options.programs ? join(options.programs, bundled(program)) : join(root, program);
  if (!existsSync(main)) throw new Error(`${main} does not exist.`);
  const own: NodeJS.ProcessEnv = {
    ...common(name, options),
    ...database(name, options),
    [listener.host]: '127.0.0.1',
    [listener.port]: String(options.ports[name]),
    HEALTH_HOST: '127.0.0.1',
    // One listener of a service has both: a clone has few ports.
    METRICS_PORT: String(name === 'gateway' ? options.ports.gatewayMetrics : options.ports[name]),
    ...particular(name, options),
  };
  // A file of the environment must not contradict a value from here.
  const noFiles = Object.fromEntries(Object.keys(own).map((variable) => [fileVariable(variable), undefined]));
  return {
    name,
    command: process.execPath,
    args: [...nodeFlags, main],
    env: { ...options.env, ...noFiles, ...own },
    stopSignal: 'SIGTERM',
    isReady: () => httpAnswers(`http://127.0.0.1:${options.ports[name]}${healthPaths.ready}`),
  };
}

const common = (name: ProcessName, options: ServiceOptions): NodeJS.ProcessEnv => ({
  NATS_URL: natsUrl(name, options),
  TEMPORAL_ADDRESS: options.temporalAddress,
  LOG_FORMAT: 'json', // formatted for the terminal here, unchanged in the log file
  SHUTDOWN_TIMEOUT_MS: String(options.shutdownTimeoutMs),
  ...runtimeEnvironment,
  // What is compiled once is read at later starts. That of a bundle is deleted with it.
  NODE_COMPILE_CACHE: options.programs
    ? join(options.programs, 'compiled')
    : options.env.NODE_COMPILE_CACHE || join(options.localDirectory, 'cache/node'),
});

/** The address with the process's own user, unless NATS_URL is set or the server has no users. */
function natsUrl(user: ProcessName, { natsUrl, env, password }: ServiceOptions): string {
  return env.NATS_URL || !new URL(natsUrl).username ? natsUrl : natsUrlOf(user, natsUrl, password);
}

function database(name: ProcessName, { databaseUrl, password }: ServiceOptions): NodeJS.ProcessEnv {
  const { databaseLogins } = processes[name];
  return Object.fromEntries(
    databaseLogins.map(({ variable, role }) => [variable, ownRoleUrl(databaseUrl, role, password)]),
  );
}

function particular(name: ProcessName, options: ServiceOptions): NodeJS.ProcessEnv {
  switch (name) {
    case 'gateway':
      return {
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
        // The data of a platform for development is invented.
        SANDBOX_TELEPHONE: options.env.SANDBOX_TELEPHONE || 'any',
        SANDBOX_TELEPHONE_DAYS: options.env.SANDBOX_TELEPHONE_DAYS || '365',
      };
    case 'scheduling':
      return {
        ENCRYPTION_KEYS: options.encryptionKeys,
        PUBLIC_URL: publicUrl(options.ports),
        // Calendars and stand-ins of providers on this machine.
        PROVIDER_ALLOW_HOSTS: options.env.PROVIDER_ALLOW_HOSTS || '127.0.0.1,::1',
      };
    case 'accounts':
      return { PUBLIC_URL: publicUrl(options.ports) };
    case 'events':
      return { ENCRYPTION_KEYS: options.encryptionKeys };
    case 'assistant':
      return {
        ENCRYPTION_KEYS: options.encryptionKeys,
        // Models on this machine, such as those of Ollama.
        PROVIDER_ALLOW_HOSTS: options.env.PROVIDER_ALLOW_HOSTS || '127.0.0.1,::1',
      };
    case 'workflows':
      return {
        WORKFLOW_BUNDLE_CACHE: options.env.WORKFLOW_BUNDLE_CACHE || join(options.localDirectory, 'cache/workflows'),
      };
    default:
      return {};
  }
}
