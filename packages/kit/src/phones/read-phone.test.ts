import { expect, test } from 'vitest';
import { formatDetails } from '../schema/formats.ts';
import { readPhone, withExamplePhone } from './read-phone.ts';

const phoneIn = (written: string, country: string | null) => {
  const reading = readPhone(written, country);
  return 'phone' in reading ? reading.phone : undefined;
};

test.each([
  ['BR', '(31) 97777-6666', '5531977776666'],
  ['BR', '31977776666', '5531977776666'],
  ['BR', '031 97777-6666', '5531977776666'],
  ['BR', '0 15 31 97777-6666', '5531977776666'],
  ['BR', '(31) 8777-6666', '553187776666'],
  ['BR', '(31) 3222-1234', '553132221234'],
  ['BR', '(49) 3876-5432', '554938765432'],
  ['AR', '011 15 2345-6789', '5491123456789'],
  ['MX', '55 1234 5678', '525512345678'],
  ['US', '(415) 555-2671', '14155552671'],
  ['PT', '912 345 678', '351912345678'],
])('in %s the national number %s is %s', (country, written, phone) => {
  expect(phoneIn(written, country)).toBe(phone);
});

test.each([
  ['5531977776666', '5531977776666'],
  ['+55 (31) 97777-6666', '5531977776666'],
  ['55 31 97777-6666', '5531977776666'],
  ['553177776666', '553177776666'],
  ['+5215512345678', '5215512345678'],
  ['+1 415 555-2671', '14155552671'],
  ['+49 3876 5432', '4938765432'],
  ['+55 (011) 96123-4567', '5511961234567'],
  // Not valid in any country, but digits of the right length are accepted.
  ['12345678', '12345678'],
  ['+999123456789', '999123456789'],
])('with country code, %s is %s in every country', (written, phone) => {
  for (const country of ['BR', 'PT', 'AQ', null]) expect(phoneIn(written, country)).toBe(phone);
});

test.each([
  '',
  '1234567',
  '0123456789',
  '1234567890123456',
  '5511900000001.0',
  '31 97777-6666 x5',
  'abc',
  '++5531977776666',
])('%s is no phone', (written) => {
  expect(readPhone(written, 'BR')).toEqual({ kind: 'none' });
  expect(readPhone(written, null)).toEqual({ kind: 'none' });
});

test('without a country a national number with a leading zero is no phone', () => {
  expect(readPhone('031 97777-6666', null)).toEqual({ kind: 'none' });
});

test.each([
  ['BR', '51987650001', '51987650001', '5551987650001'],
  ['BR', '4938765432', '4938765432', '554938765432'],
  ['BR', '5540041234', '5540041234', '555540041234'],
  ['DE', '4915123456789', '4915123456789', '494915123456789'],
  ['US', '9198765432', '9198765432', '19198765432'],
  ['RU', '84951234567', '84951234567', '74951234567'],
])('in %s the digits %s are both %s and %s', (country, written, international, national) => {
  const reading = readPhone(written, country);
  expect(reading).toEqual(
    reading.kind === 'likely'
      ? { kind: 'likely', phone: national, other: international }
      : { kind: 'ambiguous', international, national },
  );
});

test.each([
  ['BR', '(51) 98765-0001', '5551987650001'],
  ['BR', '51 98765-0001', '5551987650001'],
  ['BR', '51.98765.0001', '5551987650001'],
  ['BR', '+51 98765 0001', '51987650001'],
  ['BR', '00 51 987 650 001', '51987650001'],
  ['BR', '0051987650001', '51987650001'],
  ['BR', '0021 351 912 345 678', '351912345678'],
  ['BR', '55 51 98765-0001', '5551987650001'],
  ['BR', '(55) 51 98765-0001', '5551987650001'],
  ['BR', '55 (051) 98765-0001', '5551987650001'],
  ['BR', '00 55 51 98765-0001', '5551987650001'],
  ['DE', '49 151 23456789', '4915123456789'],
  ['DE', '04915 123456789', '494915123456789'],
  ['US', '011 55 51 98765 0001', '5551987650001'],
  ['RU', '8 (495) 123-45-67', '74951234567'],
  ['IT', '06 1234 5678', '390612345678'],
  [null, '00 51 987 650 001', '51987650001'],
])('in %s the text %s decides by itself: %s', (country, written, phone) => {
  expect(phoneIn(written, country)).toBe(phone);
});

test.each([
  // Not 9 0, the prefix of a collect call, and a landline in Brazil.
  ['BR', '905321234567', '905321234567'],
  // A zero within the number is no reason to drop it.
  ['BR', '55011961234567', '55011961234567'],
  [null, '51987650001', '51987650001'],
  [null, '62081234567', '62081234567'],
])('in %s the digits %s are read as %s, without a digit added or dropped', (country, written, phone) => {
  expect(readPhone(written, country)).toEqual({ kind: 'one', phone });
});

test.each([
  ['a text that begins with an area code', '(51) 98765-0001', 'PT'],
  ['a text that begins with an area code', '(51) 98765-0001', null],
  ['a local number without the area code', '359-1234', 'BS'],
])('%s is no phone where it cannot be completed: %s in %s', (_, written, country) => {
  expect(readPhone(written, country)).toEqual({ kind: 'none' });
});

test('digits that are a number only within the country may be a phone that the store knows as they are', () => {
  expect(readPhone('31977776666', 'BR')).toEqual({ kind: 'likely', phone: '5531977776666', other: '31977776666' });
});

test('the fault of a phone shows a mobile of the country', () => {
  const faults = [{ detail: formatDetails.phone as string }, { detail: 'is required' }];
  const details = (country: string | null) => withExamplePhone(faults, country).map(({ detail }) => detail);
  const shows = (phone: string) => [`must be a phone number with its country code, such as ${phone}`, 'is required'];
  expect(details('BR')).toEqual(shows('5511961234567'));
  expect(details('PT')).toEqual(shows('351912345678'));
  expect(details(null)).toEqual(shows('5511961234567'));
  expect(details('AQ')).toEqual(shows('5511961234567'));
});
