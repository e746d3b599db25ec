import { type Static, Type } from '@sinclair/typebox';
import { Exact, Matching } from './common.ts';
import type { ValidationFault } from './errors.ts';

/** A time of day in the store's zone, such as `09:00`. `from` is inclusive, `to` is exclusive; `24:00` ends a day. */
export const LocalTime = (description: string) =>
  Matching('^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$', 'must be a time of day from 00:00 to 24:00, such as 09:00', {
    description,
  });

const from = LocalTime('From this time of day, such as `09:00`.');
const to = LocalTime('Until before this time, which is after `from`. `24:00` is the end of the day.');

/** A part of a day that is open. */
export const OpeningTime = Exact({ from, to }, { title: 'OpeningTime', description: 'A part of a day that is open.' });
export type OpeningTime = Static<typeof OpeningTime>;

/** A part of each week that is open, in the store's zone. */
export const OpeningHours = Exact(
  { weekday: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday, 7 is Sunday.' }), from, to },
  { title: 'OpeningHours', description: 'A part of each week that is open, in the store’s time zone.' },
);
export type OpeningHours = Static<typeof OpeningHours>;

/** The most parts of a week. */
const mostHours = 50;

/** Weekly hours, or null. */
export const NullableHours = (description: string) =>
  Type.Unsafe<OpeningHours[] | null>({
    type: ['array', 'null'],
    items: OpeningHours,
    maxItems: mostHours,
    description,
  });

/** What the schema does not express: hours across midnight are two entries. `pointer` is the place of the list. */
export const faultsOfHours = (hours: readonly OpeningTime[], pointer: string): ValidationFault[] =>
  hours.flatMap(({ from, to }, index) =>
    // Times of day with leading zeros are in the order of their texts.
    from < to ? [] : [{ pointer: `${pointer}/${index}/to`, detail: 'must be after `from`' }],
  );
