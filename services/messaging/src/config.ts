import { connectionConfig, serviceConfig, temporalConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

/** The environment variables of the service. */
export const messagingConfig = Type.Object({ ...serviceConfig, ...temporalConfig, ...connectionConfig });
