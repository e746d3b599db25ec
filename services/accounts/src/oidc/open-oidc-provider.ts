import { createEgress } from '@mostrador/kit/clients/egress';
import type { AccountsConfig } from '../config.ts';
import { createOidcProvider, type OidcProvider } from './oidc-provider.ts';
import { oidcSettings } from './oidc-settings.ts';

/**
 * The provider of the configuration. Null: there is none. The operator chose its host, so it may be in a private network.
 *
 * @throws ConfigError when a part is missing
 */
export function openOidcProvider(config: AccountsConfig): OidcProvider | null {
  const settings = oidcSettings(config);
  if (settings === null) return null;
  const ownHost = settings.issuer.hostname.replace(/^\[|\]$/g, '');
  const egress = createEgress({
    allowHosts: [ownHost, config.PROVIDER_ALLOW_HOSTS ?? ''].join(','),
    plaintextHosts: config.PLAINTEXT_ALLOW_HOSTS,
    dnsServers: config.DNS_SERVERS,
  });
  return createOidcProvider({ settings, publicUrl: config.PUBLIC_URL, egress });
}
