import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formats, toInstant, toTimestamp } from './formats.ts';

const isDateTime = formats['date-time'];

describe('date-time', () => {
  test.each([
    ['2027-01-31T09:00:00Z', '2027-01-31T09:00:00.000Z'],
    ['2027-01-31t09:00:00z', '2027-01-31T09:00:00.000Z'],
    ['2027-01-31T09:00:00-03:00', '2027-01-31T12:00:00.000Z'],
    ['2027-01-31T00:30:00+05:45', '2027-01-30T18:45:00.000Z'],
    ['2027-01-31T09:00:00-00:00', '2027-01-31T09:00:00.000Z'],
    ['2027-01-31T09:00:00.5Z', '2027-01-31T09:00:00.500Z'],
    ['2027-01-31T09:00:00.123456789Z', '2027-01-31T09:00:00.123Z'],
    ['2027-01-31T09:00:00.9999Z', '2027-01-31T09:00:00.999Z'],
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T23:30:00-01:00', '0001-01-01T00:30:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is the instant %s', (text, instant) => {
    expect(isDateTime(text)).toBe(true);
    expect(toTimestamp(toInstant(text))).toBe(instant);
  });

  test.each([
    ['a day that February does not have', '2027-02-31T09:00:00Z'],
    ['29 February of a common year', '2027-02-29T09:00:00Z'],
    ['29 February of a century', '2100-02-29T09:00:00Z'],
    ['31 April', '2027-04-31T09:00:00Z'],
    ['day 0', '2027-01-00T09:00:00Z'],
    ['month 13', '2027-13-01T09:00:00Z'],
    ['month 0', '2027-00-01T09:00:00Z'],
    ['24 o’clock', '2027-01-31T24:00:00Z'],
    ['minute 60', '2027-01-31T09:60:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['no offset', '2027-01-31T09:00:00'],
    ['an offset of 24 hours', '2027-01-31T09:00:00+24:00'],
    ['an offset without a colon', '2027-01-31T09:00:00+0300'],
    ['an offset of hours alone', '2027-01-31T09:00:00+03'],
    ['no seconds', '2027-01-31T09:00Z'],
    ['a date alone', '2027-01-31'],
    ['a space for T', '2027-01-31 09:00:00Z'],
    ['a point without a fraction', '2027-01-31T09:00:00.Z'],
    ['a comma', '2027-01-31T09:00:00,5Z'],
    ['five digits of year', '12027-01-31T09:00:00Z'],
    ['the year 0', '0000-06-01T00:00:00Z'],
    ['a year below 1 in UTC', '0001-01-01T00:00:00+00:01'],
    ['a year above 9999 in UTC', '9999-12-31T23:59:59-00:01'],
    ['other digits', '２０２７-01-31T09:00:00Z'],
    ['something before', ' 2027-01-31T09:00:00Z'],
    ['a line break behind', '2027-01-31T09:00:00Z\n'],
    ['nothing', ''],
  ])('%s is rejected', (_what, text) => {
    expect(isDateTime(text)).toBe(false);
    expect(() => toInstant(text)).toThrow(RangeError);
  });

  test('every instant, written with any offset, is read as the same instant', () => {
    const instants = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (instant, offsetMinutes) => {
        const local = new Date(instant.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1);
        const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
        const offset = [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');
        expect(toInstant(`${local}${offsetMinutes < 0 ? '-' : '+'}${offset}`)).toEqual(instant);
      }),
    );
  });

  test('every instant is written as ECMAScript writes it, and an invalid date is an error', () => {
    const outOfRange = fc.date({ noInvalidDate: true });
    const instants = fc.date({ min: new Date('0900-01-01T00:00:00Z'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.oneof(instants, outOfRange), (instant) => {
        expect(toTimestamp(instant)).toBe(instant.toISOString());
      }),
      { numRuns: 1000 },
    );
    expect(() => toTimestamp(new Date(Number.NaN))).toThrow(RangeError);
  });

  test('the format accepts exactly the dates and times that exist in UTC', () => {
    const part = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
    const years = fc.integer({ min: 1, max: 9999 }).map((value) => String(value).padStart(4, '0'));
    fc.assert(
      fc.property(years, part(13), part(32), part(25), part(61), (year, month, day, hour, minute) => {
        const text = `${year}-${month}-${day}T${hour}:${minute}:00.000Z`;
        const date = new Date(text);
        const isReal = !Number.isNaN(date.getTime()) && date.toISOString() === text;
        expect(isDateTime(text)).toBe(isReal);
      }),
      { numRuns: 500 },
    );
  });
});

test('the format date-or-date-time accepts either, if the date exists', () => {
  const isEither = formats['date-or-date-time'];
  for (const text of ['2027-01-31', '2028-02-29', '0001-01-01', '9999-12-31', '2027-01-31T09:00:00-03:00']) {
    expect(isEither(text), text).toBe(true);
  }
  for (const text of [
    '2027-02-29',
    '2027-1-31',
    '20270131',
    '0000-12-31',
    '2027-01-31T',
    '2027-01-31\n',
    '2027-W01',
    '',
  ]) {
    expect(isEither(text), text).toBe(false);
  }
});

describe('other formats', () => {
  test.each(['America/Sao_Paulo', 'UTC', 'Etc/GMT+3', 'America/Argentina/Buenos_Aires'])('%s is a time zone', (zone) =>
    expect(formats['time-zone'](zone)).toBe(true),
  );
  test.each(['', '+03:00', '-0300', 'Mars/Base', 'America/Sao Paulo', ' UTC'])('%j is not a time zone', (zone) =>
    expect(formats['time-zone'](zone)).toBe(false),
  );
  test.each(['en', 'pt-BR', 'zh-Hant-TW'])('%s is a locale', (tag) => expect(formats.locale(tag)).toBe(true));
  test.each(['', 'pt_BR', 'x', 'not a locale'])('%j is not a locale', (tag) => expect(formats.locale(tag)).toBe(false));
  test.each(['BR', 'US', 'XK'])('%s is a country', (code) => expect(formats.country(code)).toBe(true));
  test.each(['', 'br', 'AA', 'BRA', '55'])('%j is not a country', (code) => expect(formats.country(code)).toBe(false));
  test.each(['https://a.example/b', 'postgres://u:p@127.0.0.1:5432/db', 'nats://127.0.0.1:4222'])(
    '%s is a uri',
    (uri) => expect(formats.uri(uri)).toBe(true),
  );
  test.each(['', 'a.example', '/path', 'mailto:a@b', 'https://'])('%j is not a uri', (uri) =>
    expect(formats.uri(uri)).toBe(false),
  );
});

describe('email', () => {
  test.each(['ana@example.com', 'Ana.B+tag@mail.example.com.br', "o'hara@host", 'a@xn--p1ai', '1_2-3@4.5'])(
    '%s is an address',
    (text) => {
      expect(formats.email.test(text)).toBe(true);
    },
  );

  test.each([
    '',
    'ana',
    'ana@',
    '@example.com',
    'ana@ex ample.com',
    'a b@example.com',
    'ana@-x.com',
    'ana@x..com',
    'ana@x.com.',
    'a@b@c',
    'Ana <ana@x.com>',
    'ána@x.com',
    `ana@${'x'.repeat(64)}.com`,
    'ana@x.com\n',
  ])('%j is none', (text) => {
    expect(formats.email.test(text)).toBe(false);
  });
});
