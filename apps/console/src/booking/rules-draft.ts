import type { BookingRules } from '../calendar/booking.ts';
import type { components } from '../generated/platform.ts';
import { weekdays } from '../settings/choices.ts';
import { faultOfWindow, type Window } from '../settings/settings-draft.ts';
import { isIncomplete, noTemplate, type TemplateDraft, templateOf } from '../templates/template.ts';

export type Hours = NonNullable<BookingRules['hours']>;
type Exception = BookingRules['exceptions'][number];

/** A reminder has its template, or one is chosen for it. */
export type ReminderDraft = BookingRules['reminders'][number] & { readonly draft: TemplateDraft };

/** What a form shows of the rules. */
export type Draft = Omit<BookingRules, 'hours' | 'capacity' | 'reminders' | 'confirm_words' | 'cancel_words'> & {
  /** Null: always open. */
  readonly windows: readonly Window[] | null;
  /** As it is typed. */
  readonly capacity: string;
  readonly reminders: readonly ReminderDraft[];
  /** As they are typed, with commas between them. */
  readonly confirmWords: string;
  readonly cancelWords: string;
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
  const { hours, capacity, reminders, confirm_words, cancel_words, ...shown } = rules;
  return {
    ...shown,
    windows: hours && windowsOf(hours),
    capacity: String(capacity),
    reminders: reminders.map((reminder) => ({ ...reminder, draft: noTemplate })),
    confirmWords: confirm_words.join(', '),
    cancelWords: cancel_words.join(', '),
  };
}

/** The words of a text, with commas between them. */
export const wordsOfText = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

export function rulesOf(draft: Draft): components['schemas']['BookingRules'] {
  const { windows, capacity, reminders, confirmWords, cancelWords, ...shown } = draft;
  return {
    ...shown,
    hours: windows && hoursOf(windows),
    capacity: Number(capacity),
    reminders: reminders.map(({ draft, template, ...reminder }) => ({
      ...reminder,
      message: reminder.message.trim(),
      template: template ?? templateOf(draft) ?? null,
    })),
    confirm_words: wordsOfText(confirmWords),
    cancel_words: wordsOfText(cancelWords),
  };
}

/** The placeholders that the server knows. */
const placeholders = ['name', 'service', 'time', 'calendar_link'];

export type ReminderFault = 'no_message' | 'twice' | 'placeholder' | 'no_value';

export function faultOfReminder(reminders: readonly ReminderDraft[], index: number): ReminderFault | undefined {
  const reminder = reminders[index];
  if (!reminder) return undefined;
  const { minutes_before, message, template, draft } = reminder;
  if (message.trim() === '') return 'no_message';
  if (reminders.findIndex((each) => each.minutes_before === minutes_before) !== index) return 'twice';
  const named = [message, draft.typed.values, ...Object.values(draft.values)].flatMap((text) => [
    ...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g),
  ]);
  if (named.some(([, name = '']) => !placeholders.includes(name))) return 'placeholder';
  return !template && isIncomplete(draft) ? 'no_value' : undefined;
}

export type ExceptionFault = 'no_date' | 'twice' | 'no_time';

export function faultOfException(exceptions: readonly Exception[], index: number): ExceptionFault | undefined {
  const { date = '', hours = [] } = exceptions[index] ?? {};
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return 'no_date';
  if (exceptions.findIndex((exception) => exception.date === date) !== index) return 'twice';
  return hours.some(({ from, to }) => from >= to) ? 'no_time' : undefined;
}

export type Fault = 'windows' | 'exceptions' | 'capacity' | 'reminders' | 'words';

/** What cannot be saved like this. */
export function faultsOf({ windows, exceptions, capacity, reminders, confirmWords, cancelWords }: Draft): Fault[] {
  return [
    ...(windows?.some((window) => faultOfWindow(window)) ? (['windows'] as const) : []),
    ...(exceptions.some((_, index) => faultOfException(exceptions, index)) ? (['exceptions'] as const) : []),
    ...(/^\d{1,3}$/.test(capacity.trim()) && Number(capacity) <= 100 ? [] : (['capacity'] as const)),
    ...(reminders.some((_, index) => faultOfReminder(reminders, index)) ? (['reminders'] as const) : []),
    ...([confirmWords, cancelWords].every((text) => wordsOfText(text).length > 0) ? [] : (['words'] as const)),
  ];
}
