import { serviceConfig } from '@mostrador/kit/config';
import { Type } from '@sinclair/typebox';

/** What the service reads from its environment. */
export const crmConfig = Type.Object(serviceConfig);
