import { connectionConfig, serviceConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

/** What the service reads from its environment. */
export const accountsConfig = Type.Object({ ...serviceConfig, PUBLIC_URL: connectionConfig.PUBLIC_URL });
