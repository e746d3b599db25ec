import { connectionConfig, serviceConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

/** What the service reads from its environment. */
export const schedulingConfig = Type.Object({ ...serviceConfig, ...connectionConfig });
