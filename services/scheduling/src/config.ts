import { connectionConfig, serviceConfig, temporalConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

/** The environment variables of the service. */
export const schedulingConfig = Type.Object({
  ...serviceConfig,
  ...temporalConfig,
  ...connectionConfig,
  GOOGLE_CALENDAR_QUOTA: Type.Integer({
    minimum: 60,
    default: 10_000,
    description: 'Requests a minute that Google allows the OAuth project. Looking at calendars takes at most 0.6 of it',
  }),
});
