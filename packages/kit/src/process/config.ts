import { OneOf } from '@mostrador/contracts/core';
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { compile } from '../rpc/validate.ts';
import { logLevels } from './log.ts';

const Port = (options: { default?: number; description?: string } = {}) =>
  Type.Integer({ ...options, minimum: 0, maximum: 65_535 });

const File = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, description: `${description}: a file` }));

/** What every process reads from its environment. */
export const baseConfig = {
  LOG_LEVEL: OneOf(logLevels, { default: 'info' }),
  LOG_FORMAT: Type.Optional(OneOf(['json', 'pretty'])),
  NATS_URL: Type.String({
    minLength: 1,
    description: 'nats://user:password@host:port, or tls://…; several separated by commas',
  }),
  NATS_TLS_CA: File('Certificates of who may have signed that of the server'),
  NATS_TLS_CERT: File('Certificate that this process shows'),
  NATS_TLS_KEY: File('Key of that certificate'),
  SHUTDOWN_TIMEOUT_MS: Type.Integer({ minimum: 100, maximum: 600_000, default: 10_000 }),
};

/** Where a process that is not the gateway shows its health. */
export const healthConfig = {
  HEALTH_HOST: Type.String({ minLength: 1, default: '127.0.0.1' }),
  HEALTH_PORT: Port({ description: '0: any free port' }),
};

/** Where Temporal is. */
export const temporalConfig = {
  TEMPORAL_ADDRESS: Type.String({ minLength: 1, description: 'host:port' }),
  TEMPORAL_NAMESPACE: Type.String({ minLength: 1, default: 'default' }),
  TEMPORAL_TLS: Type.Boolean({ default: false, description: 'TLS, also when none of the others is set' }),
  TEMPORAL_TLS_CA: File('Certificates of who may have signed that of the server'),
  TEMPORAL_TLS_CERT: File('Certificate that this process shows'),
  TEMPORAL_TLS_KEY: File('Key of that certificate'),
  TEMPORAL_TLS_SERVER_NAME: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The name in the certificate of the server, where it is not that of the address',
    }),
  ),
  TEMPORAL_API_KEY: Type.Optional(Type.String({ minLength: 1, description: 'Sent with every call, over TLS only' })),
};

/** The two database roles of a service and how many connections each may hold. */
export const databaseConfig = {
  DATABASE_URL: Type.String({ format: 'uri' }),
  DATABASE_SYSTEM_URL: Type.String({ format: 'uri' }),
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 500, default: 8 }),
  DATABASE_SYSTEM_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 100, default: 2 }),
};

/** What a service needs besides that connects stores to providers. */
export const connectionConfig = {
  ENCRYPTION_KEYS: Type.String({
    minLength: 1,
    description: '`id:base64 of 32 bytes[,id2:…]`: the first encrypts credentials, all of them decrypt',
  }),
  PUBLIC_URL: Type.String({
    pattern: '^https?://\\S*[^\\s/]$',
    description: 'Where the gateway is reached from outside: http or https, without a slash at the end',
  }),
};

/** What an ordinary service reads from its environment. */
export const serviceConfig = { ...baseConfig, ...healthConfig, ...temporalConfig, ...databaseConfig };

/** What a service's migrate command reads from its environment. */
export const migrateConfig = Type.Object({
  LOG_LEVEL: baseConfig.LOG_LEVEL,
  LOG_FORMAT: baseConfig.LOG_FORMAT,
  DATABASE_OWNER_URL: Type.String({ format: 'uri', description: 'the role that owns the schema' }),
});

/** The environment is not what the process needs. The message lists every fault and shows no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the schema's members from the environment by their names. Integers, numbers and booleans (`true`, `false`) are
 * read strictly, an empty string counts as not set, defaults apply. Throws `ConfigError` with all faults at once.
 */
export function readConfig<S extends TObject>(schema: S, env: NodeJS.ProcessEnv): Static<S> {
  const config: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties)) {
    const text = env[name]?.trim();
    if (text !== undefined && text !== '') config[name] = fromText(text, member);
  }
  const faults = compile(schema)(config);
  if (faults.length > 0) {
    const lines = faults.map(({ pointer, detail }) => `  ${pointer.replace(/^#\//, '')} ${detail}`);
    throw new ConfigError(`The environment is not complete or not valid:\n${lines.join('\n')}`);
  }
  return config as Static<S>;
}

/** `readConfig` for a process that starts: on faults it prints them and exits with 1. */
export function loadConfig<S extends TObject>(schema: S, env: NodeJS.ProcessEnv = process.env): Static<S> {
  try {
    return readConfig(schema, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** A text that does not have the form stays a text, so that validation names the fault. */
function fromText(text: string, member: TSchema): unknown {
  if (member.type === 'integer' && /^-?[0-9]{1,15}$/.test(text)) return Number(text);
  if (member.type === 'number' && /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/.test(text)) return Number(text);
  if (member.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
