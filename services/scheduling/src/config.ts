import { serviceConfig } from '@mostrador/kit/config';
import { Type } from '@sinclair/typebox';

/** What the service reads from its environment. */
export const schedulingConfig = Type.Object({
  ...serviceConfig,
  /** `id:base64 of 32 bytes[,id2:…]`: the first encrypts credentials, all of them decrypt. */
  ENCRYPTION_KEYS: Type.String({ minLength: 1 }),
  /** Where the gateway is reached from outside; feeds' addresses begin with it. */
  PUBLIC_URL: Type.String({
    pattern: '^https?://\\S*[^\\s/]$',
    description: 'http or https, without a slash at the end',
  }),
});
