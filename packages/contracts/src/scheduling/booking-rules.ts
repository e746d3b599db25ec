import { type Static, type TOptional, Type } from '@sinclair/typebox';
import { About, DateText, Described, Exact, isDate, Nullable, OneOf, Text } from '../core/common.ts';
import type { ValidationFault } from '../core/errors.ts';
import { faultsOfHours, NullableHours, OpeningTime } from '../core/hours.ts';
import { defineOperation } from '../core/operation.ts';
import { plainText } from '../core/plain-text.ts';
import { readOptOut } from '../messaging/opt-out-words.ts';
import { faultsOfTemplate, MessageTemplate } from '../messaging/templates.ts';

const overlaps = ['allow', 'reject'] as const;
const OverlapWord = OneOf(overlaps, {
  title: 'Overlap',
  description: '`reject`: each appointment takes a place, and none is taken twice. `allow`: appointments may overlap.',
});

const OutsideHoursWord = OneOf(['allow', 'reject'], {
  title: 'OutsideHours',
  description:
    '`reject`: an appointment lies in the opening hours. `allow`: the hours only bound what is offered and held, and the ' +
    'store may book any time.',
});

const HoursException = Exact(
  {
    date: About(DateText, 'The day in the store’s time zone, such as `2027-12-25`.'),
    hours: Type.Array(OpeningTime, { maxItems: 20, description: 'When it is open on that day. Empty: it is closed.' }),
  },
  { title: 'HoursException', description: 'A day on which the store has other hours.' },
);

/** The most minutes of a buffer. With two of them, an appointment takes its place for less than two days. */
export const mostBufferMinutes = 240;

/** How far ahead a store can offer times, in days. */
export const mostHorizonDays = 730;

/** Minutes of a buffer. */
const Buffer = (description: string, options: { default?: number } = {}) =>
  Type.Integer({ ...options, minimum: 0, maximum: mostBufferMinutes, description });

/** What the texts of a reminder can name. */
export const reminderPlaceholders = ['name', 'service', 'time', 'calendar_link'] as const;

/** A placeholder in a text, with its name as the first group. */
export const reminderPlaceholder = /\{\{\s*([^{}]*?)\s*\}\}/g;

const reminder = {
  minutes_before: Type.Integer({
    minimum: 5,
    maximum: 30 * 1440,
    description: 'How long before the beginning it is due, in minutes. Each reminder has another.',
  }),
  message: Text(1000, {
    description:
      'The text, with the placeholders `{{name}}` (the lead), `{{service}}` (the service, or the title of the ' +
      'appointment), `{{time}}` (the beginning, in the time zone and the language of the store) and `{{calendar_link}}` ' +
      '(where the customer’s calendar gets the appointment).',
  }),
};
const AskConfirmation = (options: { default?: boolean } = {}) =>
  Type.Boolean({
    ...options,
    description: 'Whether an answer of one of `confirm_words` or `cancel_words` confirms or cancels the appointment.',
  });
const NullableTemplate = Nullable(MessageTemplate, {
  description:
    'Sent instead when the channel no longer accepts free text. Texts in its `components` may have the placeholders, ' +
    'where `{{time}}` is in the language of the template.',
});

export const BookingReminder = Type.Object(
  { ...reminder, template: NullableTemplate, ask_confirmation: AskConfirmation() },
  { title: 'BookingReminder', description: 'A message that reminds of each appointment with a lead.' },
);
export type BookingReminder = Static<typeof BookingReminder>;

const BookingReminderInput = Exact(
  {
    ...reminder,
    template: Type.Optional(NullableTemplate),
    ask_confirmation: Type.Optional(AskConfirmation({ default: false })),
  },
  { title: 'BookingReminderInput', description: 'A message that reminds of each appointment with a lead.' },
);

/** Answers to a reminder. */
const Words = (word: string, description: string) =>
  Type.Array(
    Text(40, {
      description:
        'A word, or a few, but none that opts out, such as `stop`. Case, accents and punctuation do not count.',
    }),
    {
      default: [word],
      minItems: 1,
      maxItems: 10,
      description,
    },
  );

const members = {
  capacity: Type.Integer({
    default: 1,
    minimum: 0,
    maximum: 100,
    description: 'The places of the store itself. Each `bookable` seller is a place besides them.',
  }),
  slot_step_minutes: Type.Integer({
    default: 30,
    minimum: 5,
    maximum: 1440,
    description: 'The minutes between two offered starts. They count from each opening.',
  }),
  buffer_before_minutes: Buffer('The minutes before an appointment for which it takes its place.', { default: 0 }),
  buffer_after_minutes: Buffer('The minutes after an appointment for which it takes its place.', { default: 0 }),
  minimum_notice_minutes: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 366 * 1440,
    description: 'An offered start is at least this far ahead.',
  }),
  horizon_days: Type.Integer({
    default: 365,
    minimum: 1,
    maximum: mostHorizonDays,
    description: 'An offered start is at most this far ahead.',
  }),
  outside_hours: Described(OutsideHoursWord, {
    default: 'reject',
    description: 'Whether an appointment may lie outside of the opening hours.',
  }),
  hours: NullableHours('When the store is open. Null: always. Empty: never, but for `exceptions`.'),
  exceptions: Type.Array(HoursException, {
    default: [],
    maxItems: 400,
    description: 'Days with other hours than those of the week. Each date once.',
  }),
  confirm_words: Words('1', 'A message that is only one of them confirms the appointment of a reminder that asked.'),
  cancel_words: Words('2', 'A message that is only one of them cancels the appointment of a reminder that asked.'),
};

export const BookingRules = Type.Object(
  {
    overlap: OverlapWord,
    ...members,
    reminders: Type.Array(BookingReminder, {
      description: 'The messages that remind of each appointment with a lead.',
    }),
  },
  { title: 'BookingRules', description: 'How appointments of the store are booked.' },
);
export type BookingRules = Static<typeof BookingRules>;

const optional = Object.fromEntries(Object.entries(members).map(([name, type]) => [name, Type.Optional(type)])) as {
  [Name in keyof typeof members]: TOptional<(typeof members)[Name]>;
};

export const putBookingRules = defineOperation({
  subject: 'scheduling.api.booking-rules.put',
  http: { method: 'PUT', path: '/booking/rules', versioned: true },
  access: { scope: 'booking:write' },
  summary: 'Set the booking rules',
  description:
    'Replaces all rules. Members left out get their defaults. A store that never sets rules has none: its appointments ' +
    'may overlap at any time of day.\n\n' +
    'With `overlap: reject` every scheduled appointment takes exactly one place for its time and both buffers: its ' +
    'seller’s, or one of the `capacity` places of the store. Appointments that exist keep their times. They take places, ' +
    'too, also when more of them overlap than there are places. Other buffers count for them at once.\n\n' +
    'Each of `reminders` becomes a follow-up of every coming appointment with a lead, also of those that exist. It moves ' +
    'with its appointment, ends with it, and is never sent after the beginning. One whose time has passed is left out.',
  extension: true,
  request: {
    body: Exact(
      {
        overlap: OverlapWord,
        ...optional,
        reminders: Type.Optional(
          Type.Array(BookingReminderInput, {
            default: [],
            maxItems: 5,
            description: 'The messages that remind of each appointment with a lead. Empty: none.',
          }),
        ),
      },
      { description: 'All rules of the store.' },
    ),
  },
  reply: BookingRules,
  errors: ['template_not_found', 'template_not_approved', 'version_mismatch'],
});

export const getBookingRules = defineOperation({
  subject: 'scheduling.api.booking-rules.get',
  http: { method: 'GET', path: '/booking/rules', versioned: true },
  access: { scope: 'booking:read' },
  summary: 'Read the booking rules',
  extension: true,
  request: {},
  reply: BookingRules,
  errors: ['booking_rules_not_found'],
});

/** What the schema does not express: each `to` is after its `from`, and each date exists and is there once. */
export function faultsOfRules(rules: BookingRules): ValidationFault[] {
  const { hours, exceptions } = rules;
  const dates = exceptions.map(({ date }) => date);
  return [
    ...faultsOfHours(hours ?? [], '#/hours'),
    ...exceptions.flatMap((exception, index) => [
      ...(dates.indexOf(exception.date) === index
        ? []
        : [{ pointer: `#/exceptions/${index}/date`, detail: 'must not repeat the date of another exception' }]),
      ...(isDate(exception.date)
        ? []
        : [{ pointer: `#/exceptions/${index}/date`, detail: 'must be a date that exists' }]),
      ...faultsOfHours(exception.hours, `#/exceptions/${index}/hours`),
    ]),
    ...faultsOfReminders(rules),
  ];
}

const placeholdersDetail = 'has an unknown placeholder: use only `name`, `service`, `time` and `calendar_link`';

/** Each reminder has a time of its own and known placeholders, and an answer means one thing. */
function faultsOfReminders({ reminders, confirm_words, cancel_words }: BookingRules): ValidationFault[] {
  const times = reminders.map(({ minutes_before }) => minutes_before);
  const confirming = confirm_words.map(plainText);
  const faultOfWord = (pointer: string, word: string) =>
    plainText(word) === ''
      ? [{ pointer, detail: 'must have a letter or a digit' }]
      : readOptOut(word) === 'stop'
        ? [{ pointer, detail: `must not be \`${word}\`, which opts the customer out: use another word, such as \`1\`` }]
        : [];
  return [
    ...reminders.flatMap(({ minutes_before, message, template }, index) => {
      const pointer = `#/reminders/${index}`;
      return [
        ...(times.indexOf(minutes_before) === index
          ? []
          : [{ pointer: `${pointer}/minutes_before`, detail: 'must not repeat that of another reminder' }]),
        ...(hasOnlyKnown(message) ? [] : [{ pointer: `${pointer}/message`, detail: placeholdersDetail }]),
        ...faultsOfTemplate(template).map(({ detail }) => ({ pointer: `${pointer}/template/components`, detail })),
      ];
    }),
    ...confirm_words.flatMap((word, index) => faultOfWord(`#/confirm_words/${index}`, word)),
    ...cancel_words.flatMap((word, index) => {
      const pointer = `#/cancel_words/${index}`;
      return confirming.includes(plainText(word))
        ? [{ pointer, detail: 'must not also be one of `confirm_words`' }]
        : faultOfWord(pointer, word);
    }),
  ];
}

const hasOnlyKnown = (text: string): boolean =>
  [...text.matchAll(reminderPlaceholder)].every(([, name]) => reminderPlaceholders.some((known) => known === name));
