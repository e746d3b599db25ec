import { type CalendarChanges, CalendarError, type ReadObject, type ReadObjects } from '../calendar-provider.ts';
import { type ChangedEvent, type GoogleCalendar, refusedToken } from './api.ts';
import { toICalendar } from './icalendar.ts';

/** What a cursor begins with. The rest is Google's. */
const prefix = 'sync ';

/**
 * What has changed, by Google's sync token (…/calendar/api/guides/sync). The times and the exceptions of a series belong to
 * the series, whose ETag does not cover them.
 */
export async function readChanges(
  calendar: GoogleCalendar,
  cursor: string | null,
  since: Date,
): Promise<CalendarChanges> {
  const syncToken = cursor?.startsWith(prefix) ? cursor.slice(prefix.length) : null;
  const delta = syncToken === null ? null : await calendar.changes({ syncToken });
  const found = delta ?? (await calendar.changes({ timeMin: since.toISOString() }));
  if (!found) throw refusedToken();
  const isGone = ({ status }: ChangedEvent) => status === 'cancelled';
  return {
    cursor: prefix + found.syncToken,
    isFull: delta === null,
    listed: found.events.flatMap((event) => [
      ...(isGone(event) ? [] : [{ href: event.id, etag: event.recurrence ? null : event.etag }]),
      ...(event.recurringEventId ? [{ href: event.recurringEventId, etag: null }] : []),
    ]),
    removed: found.events.filter(isGone).map(({ id }) => id),
    isPart: false,
  };
}

/**
 * The events with these ids, as iCalendar objects: one after the other, because Google allows an account 600 requests a
 * minute, which writing needs too. One that is too large counts as unreadable.
 */
export async function readObjects(
  calendar: GoogleCalendar,
  hrefs: readonly string[],
  until: number,
): Promise<ReadObjects> {
  const objects: ReadObject[] = [];
  for (const href of hrefs) {
    if (objects.length > 0 && Date.now() >= until) break;
    try {
      objects.push(await readObject(calendar, href));
    } catch (error) {
      if (error instanceof CalendarError && error.code === 'calendar_answer_too_large') {
        objects.push({ href, etag: null, icalendar: '' });
      } else if (objects.length > 0) break;
      else throw error;
    }
  }
  return { objects, unread: hrefs.slice(objects.length) };
}

async function readObject(calendar: GoogleCalendar, href: string): Promise<ReadObject> {
  const found = await calendar.times(href);
  if (!found || found.isCancelled) return { href, etag: null, icalendar: null };
  const { event, etag } = found;
  if (event.recurringEventId) {
    // Its series has it, unless only this occurrence is in the calendar: the guest of one meeting has no series.
    const series = await calendar.times(event.recurringEventId);
    const isInSeries = series !== null && !series.isCancelled;
    // It takes no time of its own then, and is forgotten when it is over.
    return { href, etag, icalendar: toICalendar(isInSeries ? { ...event, transparency: 'transparent' } : event) };
  }
  if (!event.recurrence) return { href, etag, icalendar: toICalendar(event) };
  return { href, etag: null, icalendar: toICalendar(event, await calendar.exceptionsOf(event)) };
}
