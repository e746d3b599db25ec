import { ConfigError } from '@mostrador/kit/process/config';
import type { AccountsConfig } from '../config.ts';

/** The OpenID provider of the deployment, and what it knows this deployment by. */
export type OidcSettings = {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** For the button. */
  readonly name: string;
  readonly scopes: string;
  /** Whether an address without `email_verified` counts as verified. */
  readonly trustsEmail: boolean;
};

const needed = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

type Config = Pick<AccountsConfig, (typeof needed)[number] | 'OIDC_NAME' | 'OIDC_SCOPES' | 'OIDC_TRUST_EMAIL'>;

/** Null: the operator configured none. @throws ConfigError when a part is missing */
export function oidcSettings(config: Config): OidcSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  if (issuer && clientId && clientSecret) {
    const url = new URL(issuer);
    const name = config.OIDC_NAME ?? url.host;
    return {
      ...{ issuer: url, clientId, clientSecret, name },
      ...{ scopes: config.OIDC_SCOPES, trustsEmail: config.OIDC_TRUST_EMAIL },
    };
  }
  const missing = needed.filter((name) => !config[name]);
  if (missing.length === needed.length) return null;
  throw new ConfigError(
    `The environment is not valid. Set ${missing.join(' and ')} too, or none of ${needed.join(', ')}.`,
  );
}
