import { firstInstantMs, lastInstantMs } from '@mostrador/contracts/core';
import { addressesOf } from './database-addresses.ts';

/** RFC 9562, any version, upper or lower case. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** RFC 3339 `date-time`: `T` and `Z` in either case, any number of fraction digits, an offset always. */
const dateTime = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

const isoDate = /^\d{4}-\d{2}-\d{2}$/;

/** A valid email address of HTML: ASCII, without comments and quotes. */
const email =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** The `format`s of our schemas. They are strict: the database and the calendar accept every text that passes. */
export const formats = {
  uuid,
  'date-time': (text: string) => parseInstantMs(text) !== undefined,
  'date-or-date-time': (text: string) => parseInstantMs(isoDate.test(text) ? `${text}T00:00:00Z` : text) !== undefined,
  'time-zone': isTimeZone,
  locale: isLocale,
  country: (text: string) => /^[A-Z]{2}$/.test(text) && countryNames().of(text) !== text,
  phone: /^[1-9][0-9]{7,14}$/,
  email,
  'database-address': (text: string) =>
    /^postgres(ql)?:\/\//i.test(text) && addressesOf(text).every((address) => URL.canParse(address)),
  uri: (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text),
};

/** The detail of a fault in a phone. The caller that knows the store's country gives an example from there. */
export const phoneDetail = (example = '5511961234567'): string =>
  `must be a phone number with its country code, such as ${example}`;

/** The detail of a fault in each format: what the value must be. */
export const formatDetails: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  'date-time': 'must be a real date and time with an offset (RFC 3339), such as 2027-01-31T09:00:00Z',
  'date-or-date-time': 'must be a real date, such as 2027-01-31, or a date and time with an offset (RFC 3339)',
  'time-zone': 'must be an IANA time zone, such as America/Sao_Paulo',
  locale: 'must be a language tag (BCP 47), such as pt-BR',
  country: 'must be a country code (ISO 3166), such as BR',
  phone: phoneDetail(),
  email: 'must be an email address, such as ana@example.com',
  'database-address': 'must be postgres://user:password@host:5432/name; several hosts are separated by commas',
  uri: 'must be an absolute address, such as https://example.com/path',
};

/**
 * The instant of a valid date-time, truncated to milliseconds.
 *
 * @throws RangeError for any other text
 */
export function toInstant(timestamp: string): Date {
  const instantMs = parseInstantMs(timestamp);
  if (instantMs === undefined) throw new RangeError('not an RFC 3339 date-time');
  return new Date(instantMs);
}

/**
 * An instant as replies write it: UTC with milliseconds, `2027-01-31T09:00:00.000Z`. The same as `toISOString`, which
 * takes most of the time that a page of rows needs to become a reply, in a third of its time.
 *
 * @throws RangeError for an invalid date
 */
export function toTimestamp(instant: Date): string {
  const year = instant.getUTCFullYear();
  if (!(year >= 1000 && year <= 9999)) return instant.toISOString();
  const [month, day] = [two(instant.getUTCMonth() + 1), two(instant.getUTCDate())];
  const ms = instant.getUTCMilliseconds();
  const seconds = `${two(instant.getUTCSeconds())}.${ms < 100 ? '0' : ''}${two(ms)}`;
  return `${year}-${month}-${day}T${two(instant.getUTCHours())}:${two(instant.getUTCMinutes())}:${seconds}Z`;
}

const two = (number: number): string | number => (number < 10 ? `0${number}` : number);

/** `undefined` when the text is not a date-time, the date does not exist, or its year in UTC is not 1 to 9999. */
function parseInstantMs(text: string): number | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = '', zulu, sign, offsetHour, offsetMinute] = match.slice(7);
  const lastDay = month === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  if (month < 1 || month > 12 || day < 1 || day > lastDay) return undefined;
  // No leap seconds: JavaScript and PostgreSQL have none, so a reply could not repeat 23:59:60.
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  if (zulu === undefined && (Number(offsetHour) > 23 || Number(offsetMinute) > 59)) return undefined;
  const offsetMinutes = zulu === undefined ? Number(offsetHour) * 60 + Number(offsetMinute) : 0;
  const instantMs =
    utcMs(year, month, day, hour, minute, second) +
    Number(fraction.slice(0, 3).padEnd(3, '0')) -
    (sign === '-' ? -offsetMinutes : offsetMinutes) * 60_000;
  return instantMs < firstInstantMs || instantMs > lastInstantMs ? undefined : instantMs;
}

/** `Date.UTC` maps the years 0 to 99 to 1900 to 1999; this function does not. */
function utcMs(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second, 0);
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** A cache of valid zone names, in the case in which they came: a check takes half a millisecond. */
const knownZones = new Set<string>();
const mostKnownZones = 1000;

/** Whether `Intl` knows this zone. `Intl` also accepts bare offsets, which are not zones: they have no rules. */
function isTimeZone(text: string): boolean {
  if (knownZones.has(text)) return true;
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
  } catch {
    return false;
  }
  if (knownZones.size < mostKnownZones) knownZones.add(text);
  return true;
}

const countryNames = () => new Intl.DisplayNames('en', { type: 'region' });

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
