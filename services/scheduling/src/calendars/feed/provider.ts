import type { CalendarProvider } from '../calendar-provider.ts';

/** The iCalendar feed. Each request renders it from the rows, so there is nothing to send. */
export const createFeedProvider = (): CalendarProvider => ({
  verify: async () => {},
  put: async (event) => ({ eventId: event.uid, href: event.uid, etag: null }),
  remove: async () => {},
  list: async () => [],
});

export const feedUrl = (publicUrl: string, token: string): string => `${publicUrl}/calendars/${token}.ics`;
