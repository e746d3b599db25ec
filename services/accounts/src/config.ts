import { connectionConfig, egressConfig, serviceConfig } from '@mostrador/kit/process/config';
import { type Static, Type } from '@sinclair/typebox';

const Word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 500, description }));

/** What the service reads from its environment. */
export const accountsConfig = Type.Object({
  ...serviceConfig,
  PUBLIC_URL: connectionConfig.PUBLIC_URL,
  PROVIDER_ALLOW_HOSTS: connectionConfig.PROVIDER_ALLOW_HOSTS,
  ...egressConfig,
  OIDC_ISSUER: Type.Optional(
    Type.String({
      pattern: '^https?://[^?#\\s]+$',
      description: 'The OpenID provider with which people may sign in, exactly as it names itself. Empty: none.',
    }),
  ),
  OIDC_CLIENT_ID: Word('What the provider calls this deployment; needed with `OIDC_ISSUER`'),
  OIDC_CLIENT_SECRET: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      secret: true,
      description: 'The secret of this client; needed with `OIDC_ISSUER`',
    }),
  ),
  OIDC_NAME: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'What people call the provider, on the button. Default: its host',
    }),
  ),
  OIDC_SCOPES: Type.String({
    pattern: '^([!#-\\[\\]-~]+ )*openid( [!#-\\[\\]-~]+)*$',
    default: 'openid email',
    description: 'What it is asked for, separated by spaces; `openid` among them',
  }),
  OIDC_TRUST_EMAIL: Type.Boolean({
    default: false,
    description:
      'true: an address without `email_verified` counts as verified. Only for a provider where only its ' +
      'administrators set addresses',
  }),
});
export type AccountsConfig = Static<typeof accountsConfig>;
