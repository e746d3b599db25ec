import { join, resolve } from 'node:path';
import { type TemporalAddress, temporalAddress } from '@mostrador/kit/clients/temporal-address';
import { type NatsTls, natsAddress } from '@mostrador/kit/rpc/nats';

const cloneRoot = resolve(import.meta.dirname, '../../..');

/** The platform's addresses: those of the environment, or else of the file that `npm start` writes. */
export type AdminConfig = {
  readonly natsUrl: string | undefined;
  readonly natsTls: NatsTls;
  /** `POSTGRES_URL`: an administrator's, whom row-level security does not bind. Only `doctor` uses it. */
  readonly databaseUrl: string | undefined;
  /** Only `doctor` uses it. */
  readonly temporal: TemporalAddress | undefined;
  readonly temporalNamespace: string;
  /** `PLAINTEXT_ALLOW_HOSTS`, as every process of the platform reads it. */
  readonly plaintextHosts: string | undefined;
  readonly addressFile: string;
};

export function readConfig(env: NodeJS.ProcessEnv): AdminConfig {
  return {
    natsUrl: env.NATS_URL || undefined,
    natsTls: natsAddress({ ...env, NATS_URL: '' }).tls,
    databaseUrl: env.POSTGRES_URL || undefined,
    temporal: env.TEMPORAL_ADDRESS
      ? temporalAddress({
          ...env,
          TEMPORAL_ADDRESS: env.TEMPORAL_ADDRESS,
          TEMPORAL_TLS: env.TEMPORAL_TLS === 'true',
        })
      : undefined,
    temporalNamespace: env.TEMPORAL_NAMESPACE || 'default',
    plaintextHosts: env.PLAINTEXT_ALLOW_HOSTS,
    addressFile: join(resolve(cloneRoot, env.LOCAL_DIR || '.local'), 'dev.json'),
  };
}
