import { OneOf } from '@mostrador/contracts/core';
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { compile } from '../schema/compile.ts';
import { logLevels } from './log.ts';
import { plaintextFaults } from './plaintext.ts';

const Port = (options: { default?: number; description?: string } = {}) =>
  Type.Integer({ ...options, minimum: 0, maximum: 65_535 });

const File = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, description: `Path of a file with ${description}` }));

const plaintextConfig = {
  PLAINTEXT_ALLOW_HOSTS: Type.Optional(
    Type.String({ description: 'Hosts that may be reached without TLS, separated by commas; this machine always may' }),
  ),
};

/** What every process reads from its environment. */
export const baseConfig = {
  LOG_LEVEL: OneOf(logLevels, { default: 'info' }),
  LOG_FORMAT: Type.Optional(OneOf(['json', 'pretty'])),
  ...plaintextConfig,
  NATS_URL: Type.String({
    minLength: 1,
    description: 'nats://user:password@host:port, or tls://…; several separated by commas',
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
  SHUTDOWN_TIMEOUT_MS: Type.Integer({ minimum: 100, maximum: 600_000, default: 10_000 }),
};

/** Where a process other than the gateway serves its health. */
export const healthConfig = {
  HEALTH_HOST: Type.String({ minLength: 1, default: '127.0.0.1' }),
  HEALTH_PORT: Port({ description: '0: any free port' }),
};

/** How a process reaches Temporal. */
export const temporalConfig = {
  TEMPORAL_ADDRESS: Type.String({ minLength: 1, description: 'host:port' }),
  TEMPORAL_NAMESPACE: Type.String({ minLength: 1, default: 'default' }),
  TEMPORAL_TLS: Type.Boolean({ default: false, description: 'Use TLS even if no other TLS variable is set' }),
  TEMPORAL_TLS_CA: File('the CA certificates that verify the server'),
  TEMPORAL_TLS_CERT: File('the certificate of this process'),
  TEMPORAL_TLS_KEY: File('the key of that certificate'),
  TEMPORAL_TLS_SERVER_NAME: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The name in the certificate of the server, if it differs from the address',
    }),
  ),
  TEMPORAL_API_KEY: Type.Optional(Type.String({ minLength: 1, description: 'Sent with every call, over TLS only' })),
};

const DatabaseAddress = (description: string) => Type.String({ format: 'database-address', description });

/** The two database roles of a service, and the connections of each. */
export const databaseConfig = {
  DATABASE_URL: DatabaseAddress('The role for requests; several hosts are separated by commas'),
  DATABASE_SYSTEM_URL: DatabaseAddress('The role for work of no store'),
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 500, default: 8 }),
  DATABASE_SYSTEM_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 100, default: 2 }),
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
 * strictly. An empty string counts as not set. Defaults apply. Servers on other machines need TLS.
 *
 * @throws ConfigError with all faults at once
 */
export function readConfig<S extends TObject>(schema: S, env: NodeJS.ProcessEnv): Static<S> {
  const config: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties)) {
    const text = env[name]?.trim();
    if (text !== undefined && text !== '') config[name] = fromText(text, member);
  }
  const faults = [...compile(schema)(config), ...plaintextFaults(config)];
  if (faults.length > 0) {
    const lines = faults.map(({ pointer, detail }) => `  ${pointer.replace(/^#\//, '')} ${detail}`);
    throw new ConfigError(`The environment is not valid. Set these variables correctly:\n${lines.join('\n')}`);
  }
  return config as Static<S>;
}

/** `readConfig` for a starting process: it prints the faults and exits with 1. */
export function loadConfig<S extends TObject>(schema: S, env: NodeJS.ProcessEnv = process.env): Static<S> {
  try {
    return readConfig(schema, env);
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
