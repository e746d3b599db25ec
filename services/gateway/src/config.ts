import { baseConfig, databaseConfig, metricsConfig } from '@mostrador/kit/process/config';
import { type Static, Type } from '@sinclair/typebox';

const { DATABASE_URL: _, DATABASE_POOL_SIZE: __, ...systemDatabaseConfig } = databaseConfig;

/** What the gateway reads from its environment. */
export const gatewayConfig = Type.Object({
  ...baseConfig,
  ...systemDatabaseConfig,
  ...metricsConfig,
  HTTP_HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Where it listens' }),
  HTTP_PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 8080, description: '0: any free port' }),
  PUBLIC_URL: Type.String({
    pattern: '^https?://[^?#]*[^/?#]$',
    description: 'Where clients reach this gateway, without a trailing slash.',
  }),
  CONTACT_URL: Type.Optional(
    Type.String({
      pattern: '^(https?://|mailto:)[^ ]+$',
      description: 'Where integrators get help, in the API document. By default its page.',
    }),
  ),
  TRUSTED_PROXIES: Type.Optional(
    Type.String({
      pattern: '^[\\w.:/]+(\\s*,\\s*[\\w.:/]+)*$',
      description:
        'Addresses or ranges of proxies, separated by commas, whose `X-Forwarded-For` names the client. Empty: none.',
    }),
  ),
  TRUST_TRACEPARENT: Type.Boolean({
    default: false,
    description:
      'A proxy in front sets `traceparent`, or removes that of a client: its flag decides whether a trace is recorded.',
  }),
  CORS_ORIGINS: Type.Optional(
    Type.String({ description: 'Origins from which browsers may call, separated by commas. Empty: none.' }),
  ),
  DOCS: Type.Boolean({ default: true, description: 'false: no reference, no guides and no OpenAPI document' }),
  CONSOLE_DIRECTORY: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The built console, which is served at `/console`. Empty: none.',
      ofBuild: true,
    }),
  ),
  TEMPORAL_UI_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^?#]+$',
      description: 'Temporal’s UI, to which the console links for owners and managers. Empty: no links.',
    }),
  ),
  TEMPORAL_NAMESPACE: Type.String({ minLength: 1, default: 'default', description: 'Only for those links' }),
  EXAMPLE_IDS_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'For development: ids of real rows for the examples of the API document.',
      ofBuild: true,
    }),
  ),
  DRAIN_DELAY_MS: Type.Integer({
    minimum: 0,
    maximum: 120_000,
    default: 5_000,
    description: 'How long a stopping gateway still serves, while `/readyz` is 503 and load balancers notice.',
  }),
  SANDBOX_WRITES_PER_MINUTE: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 60,
    description: 'How often a minute the telephone of one sandbox writes or reports, in this process.',
  }),
  REQUEST_TIMEOUT_MS: Type.Integer({
    minimum: 100,
    maximum: 120_000,
    default: 10_000,
    description: 'The deadline of a request, in milliseconds',
  }),
  MAX_CONNECTIONS: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 2000,
    description: 'Open connections. A further one gets 503 and is closed.',
  }),
  CONNECTION_TIMEOUT_MS: Type.Integer({
    minimum: 1000,
    maximum: 600_000,
    default: 30_000,
    description: 'A connection on which nothing moves for this time during a request is closed.',
  }),
});
export type GatewayConfig = Static<typeof gatewayConfig>;
