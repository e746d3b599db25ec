import { connectionConfig, egressConfig, serviceConfig, temporalConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

/** What the service reads from its environment. */
export const eventsConfig = Type.Object({
  ...serviceConfig,
  ...temporalConfig,
  ...egressConfig,
  ENCRYPTION_KEYS: connectionConfig.ENCRYPTION_KEYS,
  WEBHOOK_ALLOW_HOSTS: Type.Optional(
    Type.String({
      pattern: '^[\\w.:/-]+(\\s*,\\s*[\\w.:/-]+)*$',
      description:
        'Names, addresses or ranges of a private network to which webhooks may be sent. A name or an address may also ' +
        'be reached over http and at any port',
    }),
  ),
});
