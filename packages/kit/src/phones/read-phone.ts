import examples from 'libphonenumber-js/examples.mobile.json';
import { getExampleNumber } from 'libphonenumber-js/max';
import { formats, phoneDetail } from '../schema/formats.ts';
import { isSamePhone } from './canonical-phone.ts';
import {
  callingCodeIn,
  callingCodeOf,
  dialledWithin,
  firstGroupOf,
  isNumber,
  planOf,
  withoutTrunkPrefix,
} from './phone-plans.ts';

/**
 * What a text can mean as a phone. All phones are digits with country code.
 * - `one`: the text has one meaning.
 * - `likely`: `phone`, unless only the other phone is known to the store. The other one is what was written, digit by
 *   digit. No numbering plan has it, but the store may have got it from a channel, and shows it like that.
 * - `ambiguous`: both are numbers that exist.
 */
export type PhoneReading =
  | { readonly kind: 'one'; readonly phone: string }
  | { readonly kind: 'likely'; readonly phone: string; readonly other: string }
  | ({ readonly kind: 'ambiguous' } & AmbiguousPhone)
  | { readonly kind: 'none' };

/** Two numbers that exist and are written with the same digits. */
export type AmbiguousPhone = { readonly international: string; readonly national: string };

const separators = /[\s().\-/\u2010-\u2015]/g;
/** Matches 5511900000001.0, as a spreadsheet writes a number. Without the dot it would be another number. */
const decimal = /^\d+\.\d+$/;

const none: PhoneReading = { kind: 'none' };

/**
 * Reads a phone that a person wrote to a store in this country. What a channel delivers is not read: it is a phone with
 * country code already.
 *
 * `+` and `00` begin an international number. With separators the text is a number of the store's country if it can be
 * one: `(51) 98765-0001` in Brazil is `5551987650001`. Digits alone say nothing about themselves: `51987650001` is that
 * mobile in Brazil, and one in Peru. No digit is added, dropped or moved, but for the country code, the prefixes that
 * are dialled before a number, and the rules of `canonicalPhone`.
 */
export function readPhone(written: string, country: string | null): PhoneReading {
  const text = written.trim();
  const digits = text.replace(/^\+/, '').replaceAll(separators, '');
  if (!/^\d+$/.test(digits) || decimal.test(text)) return none;
  if (text.startsWith('+')) return internationalReading(digits);
  if (digits.startsWith('00')) return readDialledAbroad(digits, country);
  return text === digits ? readDigits(digits, country) : readGroups(text, digits, country);
}

/** A number that was written with a `+`, or with a country code in a group of its own. */
function internationalReading(digits: string): PhoneReading {
  const number = isNumber(digits) ? undefined : withoutTrunkPrefix(digits);
  return number === undefined ? one(digits) : likely(number, digits);
}

/** `00` begins a call abroad in most countries. In some, the code of a carrier follows. */
function readDialledAbroad(digits: string, country: string | null): PhoneReading {
  const number = digits.slice(2);
  const plan = planOf(country);
  const dialled = plan === undefined || isNumber(number) ? undefined : dialledWithin(plan, digits);
  return dialled === undefined ? internationalReading(number) : one(dialled);
}

function readDigits(digits: string, country: string | null): PhoneReading {
  const plan = planOf(country);
  const national = plan && dialledWithin(plan, digits);
  if (national === undefined) return one(digits);
  if (!isNumber(digits)) return likely(national, digits);
  return eitherOf(digits, national);
}

/** Reads a text with separators. */
function readGroups(text: string, digits: string, country: string | null): PhoneReading {
  const plan = planOf(country);
  const national = plan && dialledWithin(plan, digits);
  const [firstGroup = ''] = text.match(/\d+/) ?? [];
  const hasCountryCode = firstGroup === callingCodeIn(digits);
  const isOwnCode = hasCountryCode && plan !== undefined && firstGroup === callingCodeOf(plan);
  // An area code stands in parentheses, so the rest of the world does not come into question.
  if (text.startsWith('(') && !isOwnCode) return national === undefined ? none : one(national);
  if (national === undefined) return hasCountryCode ? internationalReading(digits) : one(digits);

  // The first group is a country code, and the country writes the number with another first group: in Germany
  // `49 151 23456789` is a mobile, and not `04915 123456789`.
  const speaksForAbroad = hasCountryCode && isNumber(digits) && firstGroup !== firstGroupOf(national);
  if (!speaksForAbroad) return one(national);
  return isOwnCode ? one(digits) : eitherOf(digits, national);
}

function eitherOf(international: string, national: string): PhoneReading {
  if (isSamePhone(international, national) || !isPhone(national)) return one(international);
  return isPhone(international) ? { kind: 'ambiguous', international, national } : one(national);
}

function likely(phone: string, other: string): PhoneReading {
  if (!isPhone(phone)) return one(other);
  return isPhone(other) ? { kind: 'likely', phone, other } : one(phone);
}

const one = (phone: string): PhoneReading => (isPhone(phone) ? { kind: 'one', phone } : none);

const isPhone = (digits: string): boolean => formats.phone.test(digits);

/**
 * The detail of the fault of an ambiguous phone. In a query string a `+` would arrive as a space.
 */
export function ambiguousPhoneDetail({ national, international }: AmbiguousPhone, inQuery = false): string {
  const plus = inQuery ? '%2B' : '+';
  return `is a number of two countries: write \`${plus}${national}\` or \`${plus}${international}\``;
}

/** Validation faults whose example of a phone is a mobile of the country. */
export function withExamplePhone<F extends { readonly detail: string }>(
  faults: readonly F[],
  country: string | null,
): F[] {
  const detailOf = ({ detail }: F) => (detail === phoneDetail() ? phoneDetail(examplePhone(country)) : detail);
  return faults.map((fault) => ({ ...fault, detail: detailOf(fault) }));
}

function examplePhone(country: string | null): string | undefined {
  const plan = planOf(country);
  return plan && getExampleNumber(plan, examples)?.number.slice(1);
}
