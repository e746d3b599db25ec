import { uidOf } from '../calendars/calendar-event.ts';
import type { CalendarReader, ReadObject } from '../calendars/calendar-provider.ts';
import type { PendingObject } from './object.repository.ts';

export type ReadPending = {
  readonly objects: readonly ReadObject[];
  /** The missing events that are at another address now. */
  readonly elsewhere: ReadonlySet<string>;
  /** What did not fit into the time. */
  readonly unread: ReadonlySet<string>;
};

/**
 * Reads objects, and looks for the missing events elsewhere. Nothing further is asked for after `until`, in epoch ms. A
 * failure leaves what was read before it, so that each step gets on.
 */
export async function readPending(
  reader: Pick<CalendarReader, 'read' | 'hasUid'>,
  pending: readonly PendingObject[],
  until: number,
  signal: AbortSignal,
): Promise<ReadPending> {
  const hrefs = pending.map(({ href }) => href);
  const { objects: found, unread } = await reader.read(hrefs, until, signal);
  /** The appointment whose event is missing. */
  const missingOf = ({ href, icalendar }: ReadObject) =>
    icalendar === null ? pending.find((each) => each.href === href)?.appointment_id : null;
  const objects = found.filter((object) => !missingOf(object));
  const elsewhere = new Set<string>();
  const left = new Set(unread);
  for (const object of found) {
    const id = missingOf(object);
    if (!id) continue;
    if (objects.length > 0 && Date.now() >= until) {
      left.add(object.href);
      continue;
    }
    try {
      if (await reader.hasUid(uidOf(id), signal)) elsewhere.add(object.href);
      objects.push(object);
    } catch (error) {
      if (objects.length === 0) throw error;
      left.add(object.href);
    }
  }
  return { objects, elsewhere, unread: left };
}
