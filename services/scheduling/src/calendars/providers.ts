import type { Egress } from '@mostrador/kit/clients/egress';
import { createCaldavProvider } from './caldav/provider.ts';
import type { OpenProvider } from './calendar-provider.ts';
import { createFeedProvider } from './feed/provider.ts';
import { createGoogleProvider } from './google/provider.ts';
import { createAccessTokens } from './google/tokens.ts';

/** Creates the function that opens adapters. It never throws: an unusable setting fails the first call. */
export function createProviders(egress: Egress): OpenProvider {
  const tokens = createAccessTokens(egress);
  return ({ provider, settings, credentials }) => {
    switch (provider) {
      case 'feed':
        return createFeedProvider();
      case 'caldav':
        return createCaldavProvider({ ...settings, password: credentials.password, egress });
      case 'google':
        return createGoogleProvider({ settings, credentials, tokens });
    }
  };
}
