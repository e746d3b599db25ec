import type { StoreCalendar } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

export type CalendarProvider = NonNullable<StoreCalendar['provider']>;

export const providerWords: Record<CalendarProvider, () => string> = {
  google: m.connections_google,
  caldav: m.connections_caldav,
  feed: m.connections_feed_kind,
};
export const providerHints: Record<CalendarProvider, () => string> = {
  google: m.connections_google_hint,
  caldav: m.connections_caldav_hint,
  feed: m.connections_feed_hint,
};
export const providers = Object.keys(providerWords) as CalendarProvider[];

/** What a provider must be given, by the names of its fields. */
export const neededBy: Record<CalendarProvider, readonly string[]> = {
  google: ['calendar_id', 'client_id', 'client_secret', 'refresh_token'],
  caldav: ['url', 'username', 'password'],
  feed: [],
};

/** The address of a calendar as people give it, who often leave out its beginning. */
export const fullAddress = (text: string): string =>
  text === '' || /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
