import { nationalNumbers } from '@mostrador/testing/national-numbers';
import { createRandom } from '@mostrador/testing/random';
import { getCountries, getCountryCallingCode, PhoneNumber } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { formats } from '../schema/formats.ts';
import { isSamePhone } from './canonical-phone.ts';
import { isNumber } from './phone-plans.ts';
import { readPhone } from './read-phone.ts';

const kinds = ['MOBILE', 'FIXED_LINE'] as const;
const perKind = 8;
const seed = 20261126;

/** Valid national numbers of the country, with what they are internationally. */
const numbersOf = (country: ReturnType<typeof getCountries>[number]) =>
  kinds.flatMap((kind) => {
    const next = nationalNumbers(country, kind, createRandom(seed).next);
    if (next === undefined) return [];
    const drawn = Array.from({ length: perKind }, next);
    return drawn
      .map((national) => ({ national, phone: `${getCountryCallingCode(country)}${national}` }))
      .filter(({ phone }) => formats.phone.test(phone) && isNumber(phone));
  });

/** All meanings of a text. */
const meaningsOf = (written: string, country: string | null): string[] => {
  const reading = readPhone(written, country);
  switch (reading.kind) {
    case 'one':
    case 'likely':
      return [reading.phone];
    case 'ambiguous':
      return [reading.international, reading.national];
    case 'none':
      return [];
  }
};

describe.each(getCountries())('in %s', (country) => {
  const numbers = numbersOf(country);
  const formatOf = (phone: string) => {
    const number = new PhoneNumber(`+${phone}`);
    number.country ??= country;
    return number;
  };

  test('a national number in digits is that number or has two meanings, one of them that number', () => {
    for (const { national, phone } of numbers) {
      const meanings = meaningsOf(national, country);
      expect(meanings, national).toContainEqual(expect.toSatisfy((one: string) => isSamePhone(one, phone)));
      expect(meanings.length === 1 || meanings.includes(national), national).toBe(true);
    }
  });

  test('a national number as the country writes it is never another number', () => {
    for (const { phone } of numbers) {
      const written = formatOf(phone).formatNational();
      // Gabon writes its 7 digits with a zero in front, and has other numbers of the same 8 digits.
      const asDigits = `${getCountryCallingCode(country)}${written.replaceAll(/\D/g, '')}`;
      if (asDigits !== phone && isNumber(asDigits)) continue;
      const reading = readPhone(written, country);
      const meanings = meaningsOf(written, country);
      expect(meanings, written).toContainEqual(expect.toSatisfy((one: string) => isSamePhone(one, phone)));
      // Only what is digits alone may have two meanings.
      if (/\D/.test(written)) expect(reading.kind, written).not.toBe('ambiguous');
    }
  });

  test('an international number is accepted in every form, also as it is shown', () => {
    for (const { phone } of numbers) {
      const forms = [`+${phone}`, `00${phone}`, formatOf(phone).formatInternational()];
      for (const written of forms) expect(meaningsOf(written, country), written).toEqual([phone]);
      expect(meaningsOf(phone, country), phone).toContain(phone);
    }
  });

  test('without a country digits are read as they are, and nothing is completed', () => {
    for (const { national, phone } of numbers) {
      expect(meaningsOf(phone, null)).toEqual([phone]);
      expect(meaningsOf(national, null)).toEqual(formats.phone.test(national) ? [national] : []);
    }
  });
});

test('whatever digits a store knows a phone by, they may mean that phone in every country', () => {
  const random = createRandom(seed);
  const countries = [...getCountries(), null];
  for (let n = 0; n < 2_000; n++) {
    const shown = `${1 + random.below(9)}${Array.from({ length: 7 + random.below(8) }, () => random.below(10)).join('')}`;
    const country = random.pick(countries);
    for (const written of [shown, `+${shown}`]) {
      const reading = readPhone(written, country);
      const possible = [...meaningsOf(written, country), ...('other' in reading ? [reading.other] : [])];
      expect(possible, `${written} in ${country}`).toContain(shown);
    }
  }
});
