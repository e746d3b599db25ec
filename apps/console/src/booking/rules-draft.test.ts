import { expect, test } from 'vitest';
import type { BookingRules } from '../calendar/booking.ts';
import { firstWindow } from '../settings/settings-draft.ts';
import { draftOf, faultOfException, faultsOf, hoursOf, rulesOf, windowsOf } from './rules-draft.ts';

const morning = { from: '09:00', to: '12:00' };
const evening = { from: '18:00', to: '24:00' };
const rules: BookingRules = {
  ...{ overlap: 'reject', capacity: 2, slot_step_minutes: 30, buffer_before_minutes: 0, buffer_after_minutes: 10 },
  ...{ minimum_notice_minutes: 60, horizon_days: 60, exceptions: [{ date: '2027-12-25', hours: [] }] },
  hours: [
    { weekday: 1, ...morning },
    { weekday: 1, ...evening },
    { weekday: 3, ...morning },
  ],
  reminders: [{ minutes_before: 60, message: 'Soon', template: null, ask_confirmation: true }],
  ...{ confirm_words: ['sim'], cancel_words: ['nao'] },
};

test('days with the same hours are one window, and become the same hours again', () => {
  expect(windowsOf(rules.hours ?? [])).toEqual([
    { weekdays: ['monday', 'wednesday'], ...morning },
    { weekdays: ['monday'], ...evening },
  ]);
  expect(hoursOf([firstWindow])).toEqual([1, 2, 3, 4, 5].map((weekday) => ({ weekday, from: '09:00', to: '18:00' })));
  expect(new Set(hoursOf(windowsOf(rules.hours ?? [])))).toEqual(new Set(rules.hours));
});

test('what the form does not show stays, and always open is not never', () => {
  const draft = draftOf({ ...rules, hours: null });
  expect(rulesOf({ ...draft, capacity: ' 3 ' }, rules)).toEqual({ ...rules, hours: null, capacity: 3 });
  expect(rulesOf({ ...draft, windows: [] }, rules).hours).toEqual([]);
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
