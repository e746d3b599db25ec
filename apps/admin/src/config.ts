import { join, resolve } from 'node:path';
import {
  baseConfig,
  ConfigError,
  migrateConfig,
  readConfig as readVariables,
  temporalConfig,
} from '@mostrador/kit/process/config';
import { type NatsTls, natsAddress } from '@mostrador/kit/rpc/nats';
import { type Static, Type } from '@sinclair/typebox';
import { UsageError } from './exit.ts';

const cloneRoot = resolve(import.meta.dirname, '../../..');

/** What the command reads from its environment. */
export const adminConfig = Type.Object({
  NATS_URL: Type.Optional(baseConfig.NATS_URL),
  NATS_TLS_CA: baseConfig.NATS_TLS_CA,
  NATS_TLS_CERT: baseConfig.NATS_TLS_CERT,
  NATS_TLS_KEY: baseConfig.NATS_TLS_KEY,
  PLAINTEXT_ALLOW_HOSTS: baseConfig.PLAINTEXT_ALLOW_HOSTS,
  LOCAL_DIR: Type.String({
    default: '.local',
    description: 'Without `NATS_URL`: where `npm start` wrote the address of its platform',
  }),
});

/** What the commands of `platform` read from it, too. */
export const deploymentConfig = Type.Object({
  POSTGRES_URL: Type.Optional({
    ...migrateConfig.properties.DATABASE_OWNER_URL,
    description: 'A login of PostgreSQL that may create databases and roles, for `platform roles`',
  }),
  NATS_TLS_CA: baseConfig.NATS_TLS_CA,
  NATS_TLS_CERT: baseConfig.NATS_TLS_CERT,
  NATS_TLS_KEY: baseConfig.NATS_TLS_KEY,
  PLAINTEXT_ALLOW_HOSTS: baseConfig.PLAINTEXT_ALLOW_HOSTS,
  ...temporalConfig,
  TEMPORAL_ADDRESS: Type.Optional(temporalConfig.TEMPORAL_ADDRESS),
});
export type DeploymentConfig = Static<typeof deploymentConfig>;

/** Throws UsageError with every fault of the environment. */
export function readDeployment(env: NodeJS.ProcessEnv): DeploymentConfig {
  try {
    return readVariables(deploymentConfig, env);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError([error.message]);
    throw error;
  }
}

/** The platform's address: `natsUrl` of the environment, or else the file that `npm start` writes. */
export type AdminConfig = {
  readonly natsUrl: string | undefined;
  readonly natsTls: NatsTls;
  /** `PLAINTEXT_ALLOW_HOSTS`, as every process of the platform reads it. */
  readonly plaintextHosts: string | undefined;
  readonly addressFile: string;
  /** What is wrong with the environment. It keeps the command from connecting, but not from showing its help. */
  readonly fault?: string;
};

/** Does not throw: the first call to the platform fails with `fault`. */
export function readConfig(env: NodeJS.ProcessEnv): AdminConfig {
  const { values, fault } = valuesOf(env);
  return {
    natsUrl: values.NATS_URL,
    natsTls: natsAddress({ ...values, NATS_URL: '' }).tls,
    plaintextHosts: values.PLAINTEXT_ALLOW_HOSTS,
    addressFile: join(resolve(cloneRoot, values.LOCAL_DIR), 'dev.json'),
    fault,
  };
}

function valuesOf(env: NodeJS.ProcessEnv): { values: Static<typeof adminConfig>; fault?: string } {
  try {
    return { values: readVariables(adminConfig, env) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { values: { LOCAL_DIR: '' }, fault: error.message };
  }
}
