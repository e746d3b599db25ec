import type { CalendarChanges } from '../calendars/calendar-provider.ts';

/** People delete this many events, and fewer, at once. */
const fewMissing = 10;

/**
 * The addresses at which the calendar has nothing any more. `too_many`: most events of coming appointments are missing at
 * once. Then a person emptied, replaced or restored the calendar, which must not cancel the appointments of a store.
 *
 * @param from `written` are the addresses of our events of coming appointments, `known` those of a list before
 */
export function missingOf(
  { isFull, listed, removed }: Pick<CalendarChanges, 'isFull' | 'listed' | 'removed'>,
  { written, known }: { readonly written: readonly string[]; readonly known: readonly string[] },
): string[] | 'too_many' {
  const there = new Set(listed.map(({ href }) => href));
  const missing = isFull ? new Set([...known, ...written].filter((href) => !there.has(href))) : new Set(removed);
  const ours = written.filter((href) => missing.has(href)).length;
  return ours > fewMissing && ours * 2 > written.length ? 'too_many' : [...missing];
}
