import type { BookingReminder } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import type { FollowupRow } from '../followups/followup.ts';
import { planReminders } from './plan-reminders.ts';

const minuteMs = 60_000;
const now = new Date('2026-11-26T12:00:00.000Z');
const inHours = (hours: number) => new Date(now.getTime() + hours * 60 * minuteMs);
const day: BookingReminder = { minutes_before: 1440, message: 'Tomorrow', template: null, ask_confirmation: true };
const soon: BookingReminder = { minutes_before: 120, message: 'Soon', template: null, ask_confirmation: false };

/** A reminder of the rule for an appointment that begins in some hours. */
function reminderOf(rule: BookingReminder, hours: number, columns: Partial<FollowupRow> = {}): FollowupRow {
  const start = inHours(hours);
  return {
    ...{ id: `${rule.minutes_before} at ${hours}`, lead_id: 'l', appointment_id: 'a', metadata: {}, message_id: null },
    ...{ message: rule.message, template: rule.template, asks_confirmation: rule.ask_confirmation },
    ...{ reminder_minutes: rule.minutes_before, reminder_start: start, expires_at: start, status: 'pending' },
    ...{ due_at: new Date(start.getTime() - rule.minutes_before * minuteMs), next_attempt_at: null, error_code: null },
    ...{ error_detail: null, cancel_reason: null, cancel_on_reply: false, cancel_on_appointment: false, attempts: 0 },
    ...{ first_attempt_at: null, lease_until: null, version: 1, created_at: now, updated_at: now },
    ...columns,
  };
}

type Setup = {
  readonly start: number;
  readonly status?: 'scheduled' | 'cancelled' | 'done';
  readonly lead_id?: string | null;
  readonly rules?: readonly BookingReminder[];
  readonly existing?: readonly FollowupRow[];
};

/** The plan in short: `+` minutes of a new one, `~` and `-` the id of a changed or cancelled one. */
function planOf({ start, status = 'scheduled', lead_id = 'l', rules = [day, soon], existing = [] }: Setup): string[] {
  const appointment = { scheduled_at: inHours(start), status, lead_id };
  const { create, change, cancel } = planReminders(appointment, rules, existing, now);
  for (const { due_at, expires_at, reminder_start } of [...create, ...change.map(({ content }) => content)]) {
    expect([expires_at, reminder_start]).toEqual([inHours(start), inHours(start)]);
    expect(due_at < inHours(start)).toBe(true);
  }
  return [
    ...create.map(({ reminder_minutes, due_at }) => `+ ${reminder_minutes}${due_at <= now ? ' at once' : ''}`),
    ...change.map(({ row }) => `~ ${row.id}`),
    ...cancel.map(({ row, reason }) => `- ${row.id}: ${reason}`),
  ];
}

test.each<[string, Setup, string[]]>([
  ['a new appointment gets each reminder', { start: 48 }, ['+ 1440', '+ 120']],
  ['a reminder whose time has passed is left out', { start: 20 }, ['+ 120']],
  ['one that is due at this moment is left out, too', { start: 24 }, ['+ 120']],
  ['an appointment that begins sooner than all of them gets none', { start: 1 }, []],
  ['a past appointment gets none', { start: -5 }, []],
  ['an appointment without a lead gets none', { start: 48, lead_id: null }, []],
  ['without rules there is none', { start: 48, rules: [] }, []],
])('%s', (_, setup, plan) => {
  expect(planOf(setup)).toEqual(plan);
});

/** A reminder of the day before an appointment in 20 hours, and its correction for one in 72 hours. */
const first = (status: 'sending' | 'sent', began: number) =>
  reminderOf(day, 20, { status, first_attempt_at: inHours(began) });
const correction = (status: 'sent', began: number) =>
  reminderOf(day, 72, { status, first_attempt_at: inHours(began), due_at: inHours(began) });
const both = (hours: number) => [reminderOf(day, hours), reminderOf(soon, hours)];
test.each<[string, Setup, string[]]>([
  ['nothing has changed', { start: 48, existing: both(48) }, []],
  ['a later time', { start: 72, existing: both(48) }, ['~ 1440 at 48', '~ 120 at 48']],
  ['an earlier time', { start: 30, existing: both(48) }, ['~ 1440 at 48', '~ 120 at 48']],
  [
    'an earlier time that one of them no longer fits before',
    { start: 20, existing: both(48) },
    ['~ 120 at 48', '- 1440 at 48: appointment_moved'],
  ],
  [
    'a past time',
    { start: -1, existing: both(48) },
    ['- 1440 at 48: appointment_moved', '- 120 at 48: appointment_moved'],
  ],
  [
    'a later time after one was sent: the customer knows only the old time',
    { start: 72, existing: [reminderOf(day, 20, { status: 'sent' }), reminderOf(soon, 20)] },
    ['+ 1440', '~ 120 at 20'],
  ],
  [
    'a time that is only a little later, after one was sent',
    { start: 20.5, existing: [reminderOf(day, 20, { status: 'sent' }), reminderOf(soon, 20)] },
    ['~ 120 at 20'],
  ],
  [
    'a little later while one is on its way: the customer is told the new time at once',
    { start: 20.5, existing: [reminderOf(day, 20, { status: 'sending' }), reminderOf(soon, 20)] },
    ['+ 1440 at once', '~ 120 at 20'],
  ],
  [
    'much later while one is on its way: told at once, and reminded again',
    { start: 72, existing: [reminderOf(day, 20, { status: 'sending' }), reminderOf(soon, 20)] },
    ['+ 1440 at once', '+ 1440', '~ 120 at 20'],
  ],
  [
    'later while one is on its way, and the usual one would tell the same within the hour',
    { start: 25, existing: [reminderOf(day, 20, { status: 'sending' }), reminderOf(soon, 20)] },
    ['+ 1440 at once', '~ 120 at 20'],
  ],
  [
    'a move and back after the correction was sent: the customer was last told the wrong time',
    { start: 20, existing: [first('sending', -2), correction('sent', -1), reminderOf(soon, 72)] },
    ['+ 1440 at once', '~ 120 at 72'],
  ],
  [
    'a move and back after both were sent',
    { start: 20, existing: [first('sent', -2), correction('sent', -1), reminderOf(soon, 20)] },
    ['+ 1440 at once'],
  ],
  [
    'a move and back, and the customer was told so',
    { start: 20, existing: [first('sent', -2), correction('sent', -1), first('sent', -0.5), reminderOf(soon, 20)] },
    [],
  ],
  [
    'once more, while one is on its way and its correction waits',
    {
      start: 80,
      existing: [
        reminderOf(day, 20, { status: 'sending' }),
        reminderOf(day, 72, { due_at: now }),
        reminderOf(day, 72, { id: 'the next day' }),
        reminderOf(soon, 72),
      ],
    },
    ['+ 1440 at once', '~ 1440 at 72', '~ 120 at 72', '- the next day: appointment_moved'],
  ],
  ['a past time while one is on its way', { start: -1, existing: [reminderOf(day, 20, { status: 'sending' })] }, []],
  [
    'nothing more after the correction was sent',
    {
      start: 72,
      existing: [
        reminderOf(day, 20, { status: 'sending' }),
        reminderOf(day, 72, { status: 'sent', due_at: now }),
        reminderOf(day, 72),
        reminderOf(soon, 72),
      ],
    },
    [],
  ],
  [
    'a move and back while the first is on its way: the moved one must not tell the same again',
    { start: 48, existing: [reminderOf(day, 48, { status: 'sending' }), reminderOf(day, 72), reminderOf(soon, 48)] },
    ['- 1440 at 72: appointment_moved'],
  ],
  [
    'a move back to a time for which one was cancelled by an earlier move',
    {
      start: 48,
      existing: [
        reminderOf(day, 48, { status: 'cancelled', cancel_reason: 'appointment_moved' }),
        reminderOf(soon, 48),
      ],
    },
    ['+ 1440'],
  ],
  [
    'one that was cancelled by hand stays so',
    {
      start: 48,
      existing: [reminderOf(day, 48, { status: 'cancelled', cancel_reason: 'api' }), reminderOf(soon, 48)],
    },
    [],
  ],
  [
    'one that is due and waits for its sending window stays',
    { start: 20, existing: [reminderOf(day, 20), reminderOf(soon, 20)] },
    [],
  ],
  [
    'a cancelled appointment',
    { start: 48, status: 'cancelled', existing: both(48) },
    ['- 1440 at 48: appointment_closed', '- 120 at 48: appointment_closed'],
  ],
  [
    'an appointment that is done after one was sent',
    { start: 48, status: 'done', existing: [reminderOf(day, 48, { status: 'sent' }), reminderOf(soon, 48)] },
    ['- 120 at 48: appointment_closed'],
  ],
  ['a removed rule', { start: 48, rules: [soon], existing: both(48) }, ['- 1440 at 48: reminder_removed']],
  [
    'a rule with another text',
    { start: 48, rules: [{ ...day, message: 'See you' }, soon], existing: both(48) },
    ['~ 1440 at 48'],
  ],
  [
    'a rule with another time',
    { start: 48, rules: [{ ...day, minutes_before: 720 }, soon], existing: both(48) },
    ['+ 720', '- 1440 at 48: reminder_removed'],
  ],
  [
    'two pending ones of one rule: one of them stays',
    { start: 72, existing: [reminderOf(soon, 48), reminderOf(soon, 72), reminderOf(day, 72)] },
    ['- 120 at 48: appointment_moved'],
  ],
])('%s', (_, setup, plan) => {
  expect(planOf(setup)).toEqual(plan);
});

test('a correction waits for the last lease of those that tell former beginnings', () => {
  const appointment = { scheduled_at: inHours(10), status: 'scheduled', lead_id: 'l' } as const;
  const sending = [2, 3, 1].map((minutes) =>
    reminderOf(day, 20 + minutes, { status: 'sending', lease_until: new Date(now.getTime() + minutes * minuteMs) }),
  );
  const { create } = planReminders(appointment, [day], sending, now);
  expect(create.map(({ due_at }) => due_at)).toEqual([new Date(now.getTime() + 3 * minuteMs)]);
});

test('a reminder is due its minutes before the beginning, also across a clock change', () => {
  // In Berlin the clock goes back on 25 October at 03:00.
  const start = new Date('2026-10-25T08:00:00.000Z');
  const appointment = { scheduled_at: start, status: 'scheduled', lead_id: 'l' } as const;
  const { create } = planReminders(appointment, [day], [], new Date('2026-10-20T00:00:00.000Z'));
  expect(create.map(({ due_at }) => due_at.toISOString())).toEqual(['2026-10-24T08:00:00.000Z']);
});

test('a change after which the plan was carried out changes nothing more', () => {
  const appointment = { scheduled_at: inHours(72), status: 'scheduled', lead_id: 'l' } as const;
  const { change } = planReminders(appointment, [day, soon], both(48), now);
  const done = change.map(({ row, content }) => ({ ...row, ...content }));
  expect(planReminders(appointment, [day, soon], done, now)).toEqual({ create: [], change: [], cancel: [] });
});
