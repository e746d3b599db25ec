import { OneOf } from '@mostrador/contracts/core';
import { connectionConfig, egressConfig, File, serviceConfig, temporalConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

/** The environment variables of the service. */
export const assistantConfig = Type.Object({
  ...serviceConfig,
  ...temporalConfig,
  ...egressConfig,
  ENCRYPTION_KEYS: connectionConfig.ENCRYPTION_KEYS,
  AI_ANSWERS: OneOf(['on', 'off'], {
    default: 'on',
    description: 'Whether the AI answers. `off`: that of no store does, and people answer',
  }),
  MODEL_PRICES_FILE: File('what calls to models cost, in money'),
  PROVIDER_ALLOW_HOSTS: connectionConfig.PROVIDER_ALLOW_HOSTS,
});
