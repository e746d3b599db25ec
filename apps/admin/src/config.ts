import { join, resolve } from 'node:path';
import { type NatsTls, natsAddress } from '@mostrador/kit/rpc/nats';

const cloneRoot = resolve(import.meta.dirname, '../../..');

/** The platform's address: `natsUrl` of the environment, or else the file that `npm start` writes. */
export type AdminConfig = {
  readonly natsUrl: string | undefined;
  readonly natsTls: NatsTls;
  /** `PLAINTEXT_ALLOW_HOSTS`, as every process of the platform reads it. */
  readonly plaintextHosts: string | undefined;
  readonly addressFile: string;
};

export function readConfig(env: NodeJS.ProcessEnv): AdminConfig {
  return {
    natsUrl: env.NATS_URL || undefined,
    natsTls: natsAddress({ ...env, NATS_URL: '' }).tls,
    plaintextHosts: env.PLAINTEXT_ALLOW_HOSTS,
    addressFile: join(resolve(cloneRoot, env.LOCAL_DIR || '.local'), 'dev.json'),
  };
}
