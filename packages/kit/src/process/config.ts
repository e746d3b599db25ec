import { OneOf } from '@mostrador/contracts/core';
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { compile } from '../schema/compile.ts';
import { build, buildText } from './build.ts';
import { logLevels } from './log.ts';
import { plaintextFaults } from './plaintext.ts';
import { readSecretVariable, readVariable } from './variables.ts';

const Port = (options: { default?: number; description?: string } = {}) =>
  Type.Integer({ ...options, minimum: 0, maximum: 65_535 });

// Three keywords of our own: `file` marks the path of a file that the process reads at its start, `secret` a value that
// `<NAME>_FILE` may give as the content of a file, and `ofBuild` where a build has put something: an image sets that itself.
/** The path of a file that the process reads at its start. */
export const File = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, file: true, description: `Path of a file with ${description}` }));

/** The samplers of the OpenTelemetry specification. With or without `parentbased_` they mean the same here. */
const samplers = [
  ...['always_on', 'always_off', 'traceidratio'],
  ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
] as const;

const plaintextConfig = {
  PLAINTEXT_ALLOW_HOSTS: Type.Optional(
    Type.String({ description: 'Hosts that may be reached without TLS, separated by commas; this machine always may' }),
  ),
};

/**
 * The traces of a process, as OpenTelemetry names their variables
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables).
 */
export const tracingConfig = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      description:
        'The collector that takes traces over OTLP/HTTP, such as `https://collector:4318`. Empty: no traces.',
    }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Type.String({
      pattern: '^\\s*[\\w-]+\\s*=[^,%]*(%[0-9a-fA-F]{2}[^,%]*)*(,\\s*[\\w-]+\\s*=[^,%]*(%[0-9a-fA-F]{2}[^,%]*)*)*$',
      secret: true,
      description: 'Headers for the collector, such as a token: `name=value[,…]`, values percent-encoded',
    }),
  ),
  OTEL_EXPORTER_OTLP_CERTIFICATE: File('the CA certificates that verify the collector'),
  OTEL_SERVICE_NAME: Type.Optional(
    Type.String({ minLength: 1, description: 'The name of the process in traces. Default: its own.' }),
  ),
  OTEL_TRACES_SAMPLER: OneOf(samplers, {
    default: 'parentbased_traceidratio',
    description: 'Which traces are recorded. A process always decides as the one before it.',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.01,
    description: 'The share of the traces that a `…ratio` sampler records',
  }),
};

/** What every process reads from its environment. */
export const baseConfig = {
  LOG_LEVEL: OneOf(logLevels, { default: 'info' }),
  LOG_FORMAT: Type.Optional(
    OneOf(['json', 'pretty'], { description: 'By default `pretty` in a terminal, else `json`' }),
  ),
  ...plaintextConfig,
  NATS_URL: Type.String({
    minLength: 1,
    secret: true,
    description:
      '`nats://user:password@host:port`, or `tls://…`; several with commas, all with one user; percent-encoded',
  }),
  NATS_TLS_CA: File('the CA certificates that verify the server'),
  NATS_TLS_CERT: File('the certificate of this process'),
  NATS_TLS_KEY: File('the key of that certificate'),
  NATS_STREAM_REPLICAS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      description:
        'The least number of NATS nodes that keep the stream of events; unset: 1, or what an operator has set',
    }),
  ),
  SHUTDOWN_TIMEOUT_MS: Type.Integer({
    minimum: 100,
    maximum: 600_000,
    default: 10_000,
    description: 'The longest graceful stop, in milliseconds',
  }),
  ...tracingConfig,
};

/** Where every process serves its metrics. */
export const metricsConfig = {
  HEALTH_HOST: Type.String({
    minLength: 1,
    default: '127.0.0.1',
    description: 'The address at which probes and Prometheus reach the process',
  }),
  METRICS_PORT: Type.Optional(
    Port({
      description:
        'Port of `/metrics`, with `/readyz` and `/healthz`; 0: any free port. Not set: a service has `/metrics` at HEALTH_PORT, the gateway has none',
    }),
  ),
};

/** Where a process other than the gateway serves its health. */
export const healthConfig = {
  ...metricsConfig,
  HEALTH_PORT: Port({ description: 'Port of `/healthz` and `/readyz`; 0: any free port' }),
};

/** How a process reaches Temporal. */
export const temporalConfig = {
  TEMPORAL_ADDRESS: Type.String({ minLength: 1, description: '`host:port`' }),
  TEMPORAL_NAMESPACE: Type.String({ minLength: 1, default: 'default', description: 'The namespace' }),
  TEMPORAL_TLS: Type.Boolean({
    default: false,
    description: 'TLS with the CAs of the system; every other TLS variable turns it on, too',
  }),
  TEMPORAL_TLS_CA: File('the CA certificates that verify the server'),
  TEMPORAL_TLS_CERT: File('the certificate of this process'),
  TEMPORAL_TLS_KEY: File('the key of that certificate'),
  TEMPORAL_TLS_SERVER_NAME: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The name in the certificate of the server, if it differs from the address',
    }),
  ),
  TEMPORAL_API_KEY: Type.Optional(
    Type.String({ minLength: 1, secret: true, description: 'Sent with every call, over TLS only' }),
  ),
};

const DatabaseAddress = (description: string) => Type.String({ format: 'database-address', secret: true, description });

/** The two database roles of a service, and the connections of each. */
export const databaseConfig = {
  DATABASE_URL: DatabaseAddress('The role for requests; several hosts are separated by commas'),
  DATABASE_SYSTEM_URL: DatabaseAddress(
    'The system role, for work of no store: relay, sweeps, lookup of keys and feeds',
  ),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 8,
    description: 'Connections of the first role; one more is for `/readyz`',
  }),
  DATABASE_SYSTEM_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 2,
    description: 'Connections of the system role',
  }),
  DATABASE_CONNECTION_LIFETIME_MS: Type.Integer({
    minimum: 1_000,
    maximum: 86_400_000,
    default: 1_800_000,
    description: 'A connection is closed and replaced at this age, or up to a quarter of it earlier',
  }),
};

/** What a service that sends requests to addresses of stores also reads. */
export const egressConfig = {
  DNS_SERVERS: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F.:\\[\\]]+(\\s*,\\s*[0-9a-fA-F.:\\[\\]]+)*$',
      description:
        'Name servers for the names that stores choose: addresses with an optional port, such as `10.0.0.2,[fd00::53]:5353`',
    }),
  ),
};

/** What a service that connects stores to providers also reads. */
export const connectionConfig = {
  ...egressConfig,
  ENCRYPTION_KEYS: Type.String({
    minLength: 1,
    secret: true,
    description: '`id:base64 of 32 bytes[,id2:…]`: the first key encrypts credentials, all keys decrypt',
  }),
  PUBLIC_URL: Type.String({
    pattern: '^https?://\\S*[^\\s/]$',
    description: 'Public address of the gateway: http or https, without a slash at the end',
  }),
  PROVIDER_ALLOW_HOSTS: Type.Optional(
    Type.String({
      pattern: '^[\\w.:/-]+(\\s*,\\s*[\\w.:/-]+)*$',
      description: 'Names, addresses or ranges of a private network that addresses of providers may lead to',
    }),
  ),
};

/** What a service reads from its environment. One that starts workflows also reads `temporalConfig`. */
export const serviceConfig = { ...baseConfig, ...healthConfig, ...databaseConfig };

/** What a service's migrate command reads from its environment. */
export const migrateConfig = Type.Object({
  LOG_LEVEL: baseConfig.LOG_LEVEL,
  LOG_FORMAT: baseConfig.LOG_FORMAT,
  ...plaintextConfig,
  DATABASE_OWNER_URL: DatabaseAddress('The role that owns the schema'),
});

/** The environment is not valid. The message lists every fault and shows no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the schema's members from the environment by name. Integers, numbers and booleans (`true`, `false`) are parsed
 * strictly. An empty string counts as not set. Defaults apply. A member marked `secret` may come from the file that
 * `<NAME>_FILE` names. Servers on other machines need TLS.
 *
 * @throws ConfigError with all faults at once
 */
export function readConfig<S extends TObject>(schema: S, env: NodeJS.ProcessEnv): Static<S> {
  const config: Record<string, unknown> = {};
  const unread: string[] = [];
  for (const [name, member] of Object.entries(schema.properties)) {
    const { text, fault } = member.secret ? readSecretVariable(name, env) : readVariable(name, env);
    if (text !== undefined) config[name] = fromText(text, member);
    if (fault !== undefined) unread.push(`${name} ${fault}`);
  }
  const faults = [...compile(schema)(config), ...plaintextFaults(config)]
    .map(({ pointer, detail }) => `${pointer.replace(/^#\//, '')} ${detail}`)
    // What keeps a variable from being read says more than that it is required.
    .filter((line) => !unread.some((other) => other.startsWith(`${line.split(' ', 1)[0]} `)));
  if (unread.length + faults.length > 0) {
    const lines = [...unread, ...faults].map((line) => `  ${line}`);
    throw new ConfigError(`The environment is not valid. Set these variables correctly:\n${lines.join('\n')}`);
  }
  return config as Static<S>;
}

/**
 * `readConfig` for a starting process: it prints the faults and exits with 1. With the argument `--version` the process
 * prints its version instead and exits with 0.
 */
export function loadConfig<S extends TObject>(schema: S, env: NodeJS.ProcessEnv = process.env): Static<S> {
  if (process.argv.includes('--version')) {
    process.stdout.write(`${buildText(build())}\n`);
    process.exit(0);
  }
  return orExit(() => readConfig(schema, env));
}

/** For a starting process: when `read` throws a ConfigError, it prints the faults and exits with 1. */
export function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** A text that cannot be parsed stays a text, so that validation names the fault. */
function fromText(text: string, member: TSchema): unknown {
  if (member.type === 'integer' && /^-?[0-9]{1,15}$/.test(text)) return Number(text);
  if (member.type === 'number' && /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/.test(text)) return Number(text);
  if (member.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
