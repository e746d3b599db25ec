import type { BookingRules } from '../calendar/booking.ts';
import type { components } from '../generated/platform.ts';
import { readTemplate } from '../inbox/template.ts';
import { weekdays } from '../settings/choices.ts';
import { faultOfWindow, type Window } from '../settings/settings-draft.ts';

export type Hours = NonNullable<BookingRules['hours']>;
type Exception = BookingRules['exceptions'][number];

/** A template as it is typed. Without a name there is none. */
type TypedTemplate = { readonly name: string; readonly language: string; readonly values: string };

export const noTemplate: TypedTemplate = { name: '', language: '', values: '' };

/** A reminder has its template, or one is typed for it. */
export type ReminderDraft = BookingRules['reminders'][number] & { readonly typed: TypedTemplate };

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
    reminders: reminders.map((reminder) => ({ ...reminder, typed: noTemplate })),
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
    reminders: reminders.map(({ typed: { name, language, values }, template, ...reminder }) => ({
      ...reminder,
      message: reminder.message.trim(),
      template: template ?? (name.trim() === '' ? null : readTemplate(name.trim(), language.trim(), values)),
    })),
    confirm_words: wordsOfText(confirmWords),
    cancel_words: wordsOfText(cancelWords),
  };
}

/** The placeholders that the server knows. */
const placeholders = ['name', 'service', 'time', 'calendar_link'];

export type ReminderFault = 'no_message' | 'twice' | 'placeholder' | 'no_language';

export function faultOfReminder(reminders: readonly ReminderDraft[], index: number): ReminderFault | undefined {
  const reminder = reminders[index];
  if (!reminder) return undefined;
  const { minutes_before, message, template, typed } = reminder;
  if (message.trim() === '') return 'no_message';
  if (reminders.findIndex((each) => each.minutes_before === minutes_before) !== index) return 'twice';
  const named = [message, typed.values].flatMap((text) => [...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)]);
  if (named.some(([, name = '']) => !placeholders.includes(name))) return 'placeholder';
  return !template && typed.name.trim() !== '' && typed.language.trim() === '' ? 'no_language' : undefined;
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
