import type { BookingRules } from '../calendar/booking.ts';
import type { components } from '../generated/platform.ts';
import { weekdays } from '../settings/choices.ts';
import { faultOfWindow, type Window } from '../settings/settings-draft.ts';

export type Hours = NonNullable<BookingRules['hours']>;
type Exception = BookingRules['exceptions'][number];

/** What a form shows of the rules. The reminders and their words stay as they are. */
export type Draft = Omit<BookingRules, 'hours' | 'capacity' | 'reminders' | 'confirm_words' | 'cancel_words'> & {
  /** Null: always open. */
  readonly windows: readonly Window[] | null;
  /** As it is typed. */
  readonly capacity: string;
};

/** Days with the same hours are one window. */
export function windowsOf(hours: Hours): Window[] {
  const windows: Window[] = [];
  for (const { weekday, from, to } of hours) {
    const day = weekdays[weekday - 1];
    if (!day) continue;
    const place = windows.findIndex((window) => window.from === from && window.to === to);
    const days = windows[place]?.weekdays ?? [];
    const window = { weekdays: weekdays.filter((one) => one === day || days.includes(one)), from, to };
    if (place < 0) windows.push(window);
    else windows[place] = window;
  }
  return windows;
}

export const hoursOf = (windows: readonly Window[]): Hours =>
  windows.flatMap(({ weekdays: days, from, to }) =>
    days.map((day) => ({ weekday: weekdays.indexOf(day) + 1, from, to })),
  );

export function draftOf(rules: BookingRules): Draft {
  const { hours, capacity, reminders: _, confirm_words: _confirm, cancel_words: _cancel, ...shown } = rules;
  return { ...shown, windows: hours && windowsOf(hours), capacity: String(capacity) };
}

/** The rules of a draft. What the form does not show is that of `rules`. */
export function rulesOf(
  { windows, capacity, ...shown }: Draft,
  rules: BookingRules,
): components['schemas']['BookingRules'] {
  return { ...rules, ...shown, hours: windows && hoursOf(windows), capacity: Number(capacity) };
}

export type ExceptionFault = 'no_date' | 'twice' | 'no_time';

export function faultOfException(exceptions: readonly Exception[], index: number): ExceptionFault | undefined {
  const { date = '', hours = [] } = exceptions[index] ?? {};
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return 'no_date';
  if (exceptions.findIndex((exception) => exception.date === date) !== index) return 'twice';
  return hours.some(({ from, to }) => from >= to) ? 'no_time' : undefined;
}

export type Fault = 'windows' | 'exceptions' | 'capacity';

/** What cannot be saved like this. */
export function faultsOf({ windows, exceptions, capacity }: Draft): Fault[] {
  return [
    ...(windows?.some((window) => faultOfWindow(window)) ? (['windows'] as const) : []),
    ...(exceptions.some((_, index) => faultOfException(exceptions, index)) ? (['exceptions'] as const) : []),
    ...(/^\d{1,3}$/.test(capacity.trim()) && Number(capacity) <= 100 ? [] : (['capacity'] as const)),
  ];
}
