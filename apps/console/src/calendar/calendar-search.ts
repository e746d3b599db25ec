export const views = ['month', 'week', 'day', 'agenda'] as const;
export type View = (typeof views)[number];

/** What the calendar shows. It stands in the address, so that it can be kept and sent. */
export type CalendarSearch = {
  readonly view?: View;
  /** A day of the range: `2026-11-23`. Default: today. */
  readonly date?: string;
  /** The appointment that is open. */
  readonly appointment?: string;
};

export function readCalendarSearch(search: Readonly<Record<string, unknown>>): CalendarSearch {
  const view = views.find((each) => each === search.view);
  const { date, appointment } = search;
  const isDay = typeof date === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date));
  const isId = typeof appointment === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(appointment);
  return { ...(view && { view }), ...(isDay && { date }), ...(isId && { appointment }) };
}

export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** The days that a view shows, the last one not included. A month shows whole weeks, and the agenda two weeks. */
export function daysOf(view: View, day: string, firstWeekday: number): { readonly from: string; readonly to: string } {
  const weekStart = (of: string) => addDays(of, -((new Date(of).getUTCDay() - firstWeekday + 7) % 7));
  if (view === 'day') return { from: day, to: addDays(day, 1) };
  if (view === 'week') return { from: weekStart(day), to: addDays(weekStart(day), 7) };
  if (view === 'agenda') return { from: day, to: addDays(day, 14) };
  const from = weekStart(`${day.slice(0, 7)}-01`);
  return { from, to: addDays(from, 42) };
}

/** The day to go to for the range before (-1) or after (1). */
export function step(view: View, day: string, by: 1 | -1): string {
  if (view !== 'month') return addDays(day, by * { day: 1, week: 7, agenda: 14 }[view]);
  const next = new Date(`${day.slice(0, 7)}-01`);
  next.setUTCMonth(next.getUTCMonth() + by);
  return next.toISOString().slice(0, 10);
}
