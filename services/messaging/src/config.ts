import { baseConfig, serviceConfig } from '@mostrador/kit/config';
import { Type } from '@sinclair/typebox';

/** What the service reads from its environment. */
export const messagingConfig = Type.Object(serviceConfig);

/** What the migrate command reads. */
export const migrateConfig = Type.Object({
  LOG_LEVEL: baseConfig.LOG_LEVEL,
  LOG_FORMAT: baseConfig.LOG_FORMAT,
  DATABASE_OWNER_URL: Type.String({ format: 'uri' }),
});
