import { connectionConfig, egressConfig, serviceConfig, temporalConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

/** The environment variables of the service. */
export const assistantConfig = Type.Object({
  ...serviceConfig,
  ...temporalConfig,
  ...egressConfig,
  ENCRYPTION_KEYS: connectionConfig.ENCRYPTION_KEYS,
  PROVIDER_ALLOW_HOSTS: connectionConfig.PROVIDER_ALLOW_HOSTS,
});
