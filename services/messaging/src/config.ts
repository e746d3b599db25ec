import { connectionConfig, File, serviceConfig, temporalConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

/** The environment variables of the service. */
export const messagingConfig = Type.Object({
  ...serviceConfig,
  ...temporalConfig,
  ...connectionConfig,
  WHATSAPP_RATES_FILE: File('what WhatsApp bills for a message, in money'),
  SANDBOX_TELEPHONE: Type.String({
    enum: ['off', 'own', 'any'],
    default: 'off',
    description:
      'As whom the telephone of a sandbox writes. `off`: it has none. `own`: as customers whose lead it created. `any`: ' +
      'as every lead',
  }),
  SANDBOX_TELEPHONE_DAYS: Type.Integer({
    minimum: 1,
    maximum: 3650,
    default: 30,
    description:
      'How long the address of a telephone works after the sandbox was connected. Connecting again renews it',
  }),
});
