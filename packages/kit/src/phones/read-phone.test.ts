import { expect, test } from 'vitest';
import { formatDetails } from '../rpc/formats.ts';
import { readPhone, withExamplePhone } from './read-phone.ts';

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
  expect(readPhone(written, country)).toBe(phone);
});

test.each([
  ['5531977776666', '5531977776666'],
  ['+55 (31) 97777-6666', '5531977776666'],
  ['55 31 97777-6666', '5531977776666'],
  ['553177776666', '553177776666'],
  ['+5215512345678', '5215512345678'],
  ['+1 415 555-2671', '14155552671'],
  // A valid German number, although (49) 3876-5432 is one of Brazil.
  ['4938765432', '4938765432'],
  ['+49 3876 5432', '4938765432'],
  ['+55 (011) 96123-4567', '5511961234567'],
  // Not valid in any country, but digits of the right length are accepted.
  ['12345678', '12345678'],
  ['+999123456789', '999123456789'],
])('with country code, %s is %s in every country', (written, phone) => {
  for (const country of ['BR', 'PT', 'AQ', null]) expect(readPhone(written, country)).toBe(phone);
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
  expect(readPhone(written, 'BR')).toBeUndefined();
  expect(readPhone(written, null)).toBeUndefined();
});

test('without a country a national number with a leading zero is no phone', () => {
  expect(readPhone('031 97777-6666', null)).toBeUndefined();
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
