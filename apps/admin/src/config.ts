import { join, resolve } from 'node:path';
import { type TemporalAddress, temporalAddress } from '@mostrador/kit/clients/temporal-address';
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

/** What the commands of `platform` read. */
export const deploymentConfig = Type.Object({
  POSTGRES_URL: Type.Optional({
    ...migrateConfig.properties.DATABASE_OWNER_URL,
    description:
      'A login of PostgreSQL that may create databases and roles, for `platform roles`, `backup role` and `doctor`',
  }),
  NATS_TLS_CA: baseConfig.NATS_TLS_CA,
  NATS_TLS_CERT: baseConfig.NATS_TLS_CERT,
  NATS_TLS_KEY: baseConfig.NATS_TLS_KEY,
  PLAINTEXT_ALLOW_HOSTS: baseConfig.PLAINTEXT_ALLOW_HOSTS,
  ...temporalConfig,
  TEMPORAL_ADDRESS: Type.Optional(temporalConfig.TEMPORAL_ADDRESS),
});
export type DeploymentConfig = Static<typeof deploymentConfig>;

/** What the command reads from its environment. */
export const adminConfig = Type.Object({
  ...deploymentConfig.properties,
  NATS_URL: Type.Optional(baseConfig.NATS_URL),
  PUBLIC_URL: Type.Optional(
    Type.String({ description: "The gateway's address for clients, whose certificate `doctor` reads" }),
  ),
  LOCAL_DIR: Type.String({
    default: '.local',
    description: 'Without `NATS_URL`: where `npm start` wrote the address of its platform',
  }),
});

/** Throws UsageError with every fault of the environment. */
export function readDeployment(env: NodeJS.ProcessEnv): DeploymentConfig {
  try {
    return readVariables(deploymentConfig, env);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError([error.message]);
    throw error;
  }
}

/** The platform's addresses: those of the environment, or else of the file that `npm start` writes. */
export type AdminConfig = {
  readonly natsUrl: string | undefined;
  readonly natsTls: NatsTls;
  /** `POSTGRES_URL`: an administrator's, whom row-level security does not bind. Only `doctor` uses it. */
  readonly databaseUrl: string | undefined;
  /** Only `doctor` uses it, and reads its certificate. */
  readonly publicUrl?: string;
  /** Only `doctor` uses it. */
  readonly temporal: TemporalAddress | undefined;
  readonly temporalNamespace: string;
  readonly addressFile: string;
  /** What is wrong with the environment. It keeps the command from connecting, but not from showing its help. */
  readonly fault?: string;
};

/** Does not throw: the first call to the platform fails with `fault`. */
export function readConfig(env: NodeJS.ProcessEnv): AdminConfig {
  const { values, fault } = valuesOf(env);
  const { TEMPORAL_ADDRESS } = values;
  return {
    natsUrl: values.NATS_URL,
    natsTls: natsAddress({ ...values, NATS_URL: '' }).tls,
    databaseUrl: values.POSTGRES_URL,
    publicUrl: values.PUBLIC_URL,
    temporal: TEMPORAL_ADDRESS ? temporalAddress({ ...values, TEMPORAL_ADDRESS }) : undefined,
    temporalNamespace: values.TEMPORAL_NAMESPACE,
    addressFile: join(resolve(cloneRoot, values.LOCAL_DIR), 'dev.json'),
    fault,
  };
}

function valuesOf(env: NodeJS.ProcessEnv): { values: Static<typeof adminConfig>; fault?: string } {
  try {
    return { values: readVariables(adminConfig, env) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { values: readVariables(adminConfig, {}), fault: error.message };
  }
}
