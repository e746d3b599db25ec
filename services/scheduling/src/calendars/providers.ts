import type { EgressOfStores } from '@mostrador/kit/clients/egress';
import type { Target } from '@mostrador/kit/resilience/provider-circuit';
import { createCaldavProvider } from './caldav/provider.ts';
import type { OpenConnection, OpenProvider, ProviderName } from './calendar-provider.ts';
import type { ConnectionRow } from './connection.repository.ts';
import { createFeedProvider } from './feed/provider.ts';
import { createGoogleProvider } from './google/provider.ts';
import type { CountRequest } from './google/quota.ts';
import { createAccessTokens } from './google/tokens.ts';

const googleApi = 'https://www.googleapis.com';

/** The providers whose calendars can be read. */
export const readProviders: readonly ProviderName[] = ['caldav', 'google'];

/** Those that can tell of their changes. */
export const tellingProviders: readonly ProviderName[] = ['google'];

/** What the circuit guards: the connection, and the origin of its provider. A feed is not reached over a network. */
export const targetOf = ({ id, ...connection }: Pick<ConnectionRow, 'id' | 'provider' | 'settings'>): Target => ({
  provider: connection.provider,
  connectionId: id,
  origin: URL.parse(addressOf(connection) ?? '')?.origin ?? null,
});

function addressOf({ provider, settings }: Pick<OpenConnection, 'provider' | 'settings'>): string | undefined {
  switch (provider) {
    case 'feed':
      return undefined;
    case 'caldav':
      return settings.url;
    case 'google':
      // Addresses of a store's own must not count for Google or for each other, because one of them can fail on purpose.
      if (settings.api_url !== undefined && settings.token_url !== undefined) {
        return isSameOrigin(settings.api_url, settings.token_url) ? settings.api_url : undefined;
      }
      return settings.api_url ?? settings.token_url ?? googleApi;
  }
}

const isSameOrigin = (one: string, other: string): boolean => URL.parse(one)?.origin === URL.parse(other)?.origin;

/** Creates the function that opens adapters. It never throws: an unusable setting fails the first call. */
export function createProviders(egressOfStores: EgressOfStores, countRequest?: CountRequest): OpenProvider {
  const tokens = createAccessTokens();
  return ({ storeId, provider, settings, credentials }) => {
    const egress = egressOfStores.forStore(storeId);
    switch (provider) {
      case 'feed':
        return createFeedProvider();
      case 'caldav':
        return createCaldavProvider({ ...settings, password: credentials.password, egress });
      case 'google':
        return createGoogleProvider({ settings, credentials, tokens, egress, countRequest });
    }
  };
}
