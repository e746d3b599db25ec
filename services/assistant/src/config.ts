import { serviceConfig, temporalConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

/** The environment variables of the service. */
export const assistantConfig = Type.Object({ ...serviceConfig, ...temporalConfig });
