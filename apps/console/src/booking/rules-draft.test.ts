import { expect, test } from 'vitest';
import type { BookingRules } from '../calendar/booking.ts';
import { firstWindow } from '../settings/settings-draft.ts';
import { noTemplate } from '../templates/template.ts';
import {
  draftOf,
  faultOfException,
  faultOfReminder,
  faultsOf,
  hoursOf,
  type ReminderDraft,
  rulesOf,
  windowsOf,
} from './rules-draft.ts';

const morning = { from: '09:00', to: '12:00' };
const evening = { from: '18:00', to: '24:00' };
const rules: BookingRules = {
  ...{ overlap: 'reject', capacity: 2, slot_step_minutes: 30, buffer_before_minutes: 0, buffer_after_minutes: 10 },
  ...{
    minimum_notice_minutes: 60,
    horizon_days: 60,
    outside_hours: 'reject',
    exceptions: [{ date: '2027-12-25', hours: [] }],
  },
  hours: [
    { weekday: 1, ...morning },
    { weekday: 1, ...evening },
    { weekday: 3, ...morning },
  ],
  reminders: [{ minutes_before: 60, message: 'Soon', template: null, ask_confirmation: true }],
  ...{ confirm_words: ['sim'], cancel_words: ['nao'] },
};

const reminder = (part: Partial<ReminderDraft> = {}): ReminderDraft => ({
  ...{ minutes_before: 60, message: 'Soon', template: null, ask_confirmation: false, draft: noTemplate },
  ...part,
});

test('days with the same hours are one window, and become the same hours again', () => {
  expect(windowsOf(rules.hours ?? [])).toEqual([
    { weekdays: ['monday', 'wednesday'], ...morning },
    { weekdays: ['monday'], ...evening },
  ]);
  expect(hoursOf([firstWindow])).toEqual([1, 2, 3, 4, 5].map((weekday) => ({ weekday, from: '09:00', to: '18:00' })));
  expect(new Set(hoursOf(windowsOf(rules.hours ?? [])))).toEqual(new Set(rules.hours));
});

test('a draft is the rules again, and always open is not never', () => {
  const draft = draftOf({ ...rules, hours: null });
  expect(rulesOf({ ...draft, capacity: ' 3 ' })).toEqual({ ...rules, hours: null, capacity: 3 });
  expect(rulesOf({ ...draft, windows: [] }).hours).toEqual([]);
  expect(rulesOf({ ...draft, confirmWords: 'sim, , claro ' }).confirm_words).toEqual(['sim', 'claro']);
});

test('a reminder keeps its template, or gets the one that is chosen', () => {
  const template = { name: 'soon', language: 'pt_BR', components: [{ type: 'button', index: 0 }] };
  const [first] = draftOf(rules).reminders as [ReminderDraft];
  const draft = { ...noTemplate, typed: { name: ' tomorrow ', language: 'es', values: '{{name}}' } };
  const { reminders } = rulesOf({
    ...draftOf(rules),
    reminders: [
      { ...first, template },
      { ...first, draft },
    ],
  });
  expect(reminders?.map((each) => each.template)).toEqual([
    template,
    {
      ...{ name: 'tomorrow', language: 'es' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: '{{name}}' }] }],
    },
  ]);
});

test.each([
  [{}, []],
  [{ windows: null, exceptions: [] }, []],
  [{ windows: [{ ...firstWindow, weekdays: [] }] }, ['windows']],
  [{ windows: [{ ...firstWindow, to: '09:00' }] }, ['windows']],
  [{ exceptions: [{ date: '', hours: [] }] }, ['exceptions']],
  [{ capacity: '' }, ['capacity']],
  [{ capacity: '101' }, ['capacity']],
  [{ capacity: '-1' }, ['capacity']],
  [{ capacity: '0' }, []],
  [{ reminders: [reminder({ message: ' ' })] }, ['reminders']],
  [{ confirmWords: ' , ' }, ['words']],
  [{ cancelWords: '' }, ['words']],
])('%j cannot be saved because of %j', (change, faults) => {
  expect(faultsOf({ ...draftOf(rules), ...change })).toEqual(faults);
});

test('an exception has a day of its own, and ends after it begins', () => {
  const day = { date: '2027-12-25', hours: [] };
  const exceptions = [
    day,
    day,
    { date: '2027-12-26', hours: [{ from: '12:00', to: '09:00' }] },
    { date: '', hours: [] },
  ];
  const faults = exceptions.map((_, index) => faultOfException(exceptions, index));
  expect(faults).toEqual([undefined, 'twice', 'no_time', 'no_date']);
});

test.each<[Partial<ReminderDraft>, ReturnType<typeof faultOfReminder>]>([
  [{ minutes_before: 120 }, undefined],
  [{}, 'twice'],
  [{ minutes_before: 120, message: '' }, 'no_message'],
  [{ minutes_before: 120, message: 'See you at {{ time }}, {{name}}: {{service}} {{calendar_link}}' }, undefined],
  [{ minutes_before: 120, message: 'See you at {{hour}}' }, 'placeholder'],
  [{ minutes_before: 120, draft: { ...noTemplate, typed: { name: 'soon', language: ' ', values: '' } } }, 'no_value'],
])('a second reminder with %j has the fault %j', (part, fault) => {
  expect(faultOfReminder([reminder(), reminder(part)], 1)).toBe(fault);
});
