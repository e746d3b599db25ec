import type { OpenProvider } from '../calendar-provider.ts';
import { createCaldavProvider } from './caldav.ts';
import { createFeedProvider } from './feed.ts';

/** Opens the adapter of a connection. Never throws: a setting that cannot be used shows on the first call. */
export const openProvider: OpenProvider = ({ provider, settings, credentials }) =>
  provider === 'feed' ? createFeedProvider() : createCaldavProvider({ ...settings, password: credentials.password });
