import fc from 'fast-check';
import examples from 'libphonenumber-js/examples.mobile.json';
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { canonicalPhone, phoneForms } from './canonical-phone.ts';

const brazil = [
  ...[11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38, 41, 42, 43, 44, 45, 46, 47],
  ...[48, 49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 73, 74, 75, 77, 79, 81, 82, 83, 84, 85, 86, 87],
  ...[88, 89, 91, 92, 93, 94, 95, 96, 97, 98, 99],
];

describe('a phone in its canonical form', () => {
  test.each(brazil)('has the ninth digit, if it is a mobile of the Brazilian area %i', (area) => {
    for (const first of [6, 7, 8, 9]) {
      const mobile = `55${area}9${first}7776666`;
      expect(canonicalPhone(`55${area}${first}7776666`)).toBe(mobile);
      expect(canonicalPhone(mobile)).toBe(mobile);
      expect(phoneForms(mobile)).toEqual([mobile, `55${area}${first}7776666`]);
    }
    for (const first of [2, 3, 4, 5]) {
      const landline = `55${area}${first}2221234`;
      expect(phoneForms(landline)).toEqual([landline]);
    }
  });

  test.each([
    ['5215512345678', '525512345678'],
    ['5218112345678', '528112345678'],
    ['54111523456789', '5491123456789'],
    ['54351152345678', '5493512345678'],
    ['54296615234567', '5492966234567'],
    ['54221154515151', '5492214515151'],
  ])('%s is %s', (other, canonical) => {
    expect(canonicalPhone(other)).toBe(canonical);
    expect(canonicalPhone(canonical)).toBe(canonical);
    expect(phoneForms(canonical)).toContain(other);
    // What the library knows of Argentina agrees; of Mexico it knows only the new form.
    expect(parsePhoneNumberFromString(`+${canonical}`)?.isValid()).toBe(true);
  });

  test.each([
    ['a Brazilian area code that does not exist', '552077776666'],
    ['a Brazilian mobile that never had eight digits', '5511912345678'],
    ['its eight digits', '551112345678'],
    ['a Brazilian number that is too short', '55317777666'],
    ['a Brazilian number that is too long', '55319777766661'],
    ['an Argentinian landline', '541123456789'],
    ['an Argentinian number with a 15 elsewhere', '541123415678'],
    ['a Mexican number that is too long', '52155123456789'],
    ['too few digits for any country', '12345678'],
    ['too many', '555319777766661'],
  ])('is the same as before: %s (%s)', (_, phone) => {
    expect(phoneForms(phone)).toEqual([phone]);
  });

  test.each(getCountries())('is the same as before for a mobile of %s', (country) => {
    const phone = getExampleNumber(country, examples)?.number.slice(1) ?? '';
    expect(canonicalPhone(phone)).toBe(phone);
  });

  const digits = fc.stringMatching(/^[1-9][0-9]{7,14}$/);
  const ruled = fc.stringMatching(
    /^(55[1-9]{2}9?[6-9][0-9]{7}|521?[2-9][0-9]{9}|549?(11|[23][0-9]{2,3})(15)?[0-9]{6,8})$/,
  );
  test('is one for all forms of a phone, and the forms are the same for each of them', () => {
    fc.assert(
      fc.property(fc.oneof(digits, ruled), (phone) => {
        const forms = phoneForms(phone);
        expect(forms).toContain(phone);
        for (const form of forms) expect(phoneForms(form)).toEqual(forms);
        expect(new Set(forms).size).toBe(forms.length);
      }),
      { numRuns: 2000 },
    );
  });
});
