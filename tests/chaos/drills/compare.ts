import type { Journal } from '../storm/journal.ts';
import type { Seen } from '../storm/seen.ts';

/** A lost appointment, as `restore fence --json` prints it. */
export type LostEvent = { readonly appointment_id: string; readonly title: string; readonly scheduled_at: string };

type Restored = {
  /** The moment to which the database was restored. */
  readonly since: string;
  readonly journal: Pick<Journal, 'entries' | 'unexpected'>;
  readonly seen: Pick<Seen, 'rows' | 'taken' | 'calendars' | 'endings' | 'strays' | 'corruption'>;
  readonly lost: readonly LostEvent[];
};

const arrived: ReadonlySet<string> = new Set(['sent', 'delivered', 'read']);

/**
 * Compares what clients were told, and what providers have, with the restored platform after all its work. Returns what
 * must not be, and says how much was lost.
 */
export function compare(restored: Restored, say: (text: string) => void): string[] {
  const { journal, seen } = restored;
  const rows = new Map(seen.rows.map((row) => [row.id, row]));
  const acknowledged = journal.entries.filter(({ acknowledged }) => acknowledged !== undefined);
  const gone = acknowledged.filter(({ ids }) => [...ids].some((id) => !rows.has(id)));
  const before = gone.filter(({ acknowledgedAt = 0 }) => acknowledgedAt < Date.parse(restored.since));
  const kinds = Object.entries(Object.groupBy(gone, ({ kind }) => kind));
  say(`Acknowledged: ${acknowledged.length}. Gone: ${kinds.map(([kind, all]) => `${all.length} ${kind}`).join(', ')}`);

  const times = new Map<string, number>();
  for (const { text } of seen.taken) times.set(text, (times.get(text) ?? 0) + 1);
  const doubled = [...times].filter(([, count]) => count > 1);
  const untrue = seen.rows.filter(
    ({ kind, mark, status }) => kind === 'message' && arrived.has(status) !== times.has(mark),
  );
  return [
    ...before.map(({ kind, ids }) => `the ${kind} ${[...ids]} was acknowledged before the moment and is gone`),
    ...doubled.map(([text, count]) => `a provider got ${count} times: ${text}`),
    ...untrue.map(({ id, status }) => `the message ${id} is ${status}, and the provider's log says something else`),
    ...calendarFaults(restored),
    ...journal.unexpected,
    ...seen.strays,
    ...seen.corruption,
    ...seen.endings.map(({ process, how, lastLine }) => `${process} ended (${how}): ${lastLine}`),
  ];
}

/** A calendar knows no milliseconds. */
const toSecond = (time: string): string => time.slice(0, '2027-01-31T09:00:00'.length);

/** The calendar must show every restored appointment as its row is, and beside these exactly the listed ones. */
function calendarFaults({ journal, seen, lost }: Restored): string[] {
  const appointments = new Map(seen.rows.flatMap((row) => (row.kind === 'appointment' ? [[row.id, row]] : [])));
  const created = new Map(journal.entries.flatMap((entry) => [...entry.ids].map((id) => [id, entry] as const)));
  const listed = new Map(lost.map((event) => [event.appointment_id, event]));
  const faults: string[] = [];
  for (const { storeId, kind, events } of seen.calendars) {
    const shown = Map.groupBy(events, ({ id }) => id);
    for (const [id, all] of shown) {
      const row = appointments.get(id);
      if (all.length > 1) faults.push(`the ${kind} shows ${id} ${all.length} times`);
      if (row === undefined && !listed.has(id)) faults.push(`the ${kind} shows the lost ${id}, which is not listed`);
      if (row?.status === 'cancelled') faults.push(`the ${kind} shows ${id}, which is cancelled`);
      if (row && row.content.title !== all[0]?.title) faults.push(`the ${kind} shows an old version of ${id}`);
    }
    for (const { id, store_id, status } of appointments.values()) {
      if (store_id === storeId && status !== 'cancelled' && !shown.has(id)) faults.push(`the ${kind} lacks ${id}`);
    }
  }
  for (const { appointment_id: id, title, scheduled_at } of lost) {
    const body = created.get(id)?.body;
    const isAsCreated =
      body && title.startsWith(String(body.title)) && toSecond(scheduled_at) === toSecond(String(body.scheduled_at));
    if (!isAsCreated || appointments.has(id)) faults.push(`${id} is listed as lost with "${title}" at ${scheduled_at}`);
  }
  return faults;
}
