import examples from 'libphonenumber-js/examples.mobile.json';
import { getExampleNumber, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { formats, phoneDetail } from '../rpc/formats.ts';
import { canonicalPhone } from './canonical-phone.ts';

const separators = /[\s().\-/\u2010-\u2015]/g;
/** Matches 5511900000001.0, as a spreadsheet writes a number. Without the dot it would be another number. */
const decimal = /^\d+\.\d+$/;

/**
 * A phone as a person writes it, in digits with country code; undefined if it is none. Separators and a `+` are removed.
 * A national number is completed with the country: `(31) 97777-6666` in Brazil is `5531977776666`. Digits alone that are
 * a valid number with a country code are one, as the API has always read them.
 */
export function readPhone(written: string, country: string | null): string | undefined {
  const text = written.trim();
  const digits = text.replace(/^\+/, '').replaceAll(separators, '');
  if (!/^\d+$/.test(digits) || decimal.test(text)) return undefined;
  const phone = startsWithCountryCode(text, digits)
    ? withoutTrunkPrefix(digits)
    : (nationalPhone(digits, country) ?? digits);
  return formats.phone.test(phone) ? phone : undefined;
}

/** Validation faults whose example of a phone is a mobile of the country. */
export function withExamplePhone<F extends { readonly detail: string }>(
  faults: readonly F[],
  country: string | null,
): F[] {
  const detailOf = ({ detail }: F) => (detail === phoneDetail() ? phoneDetail(examplePhone(country)) : detail);
  return faults.map((fault) => ({ ...fault, detail: detailOf(fault) }));
}

const examplePhone = (country: string | null): string | undefined =>
  country !== null && isSupportedCountry(country) ? getExampleNumber(country, examples)?.number.slice(1) : undefined;

function nationalPhone(digits: string, country: string | null): string | undefined {
  if (country === null || !isSupportedCountry(country)) return undefined;
  const number = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false })?.number;
  return number !== undefined && isValid(number) ? number.slice(1) : undefined;
}

const startsWithCountryCode = (text: string, digits: string): boolean =>
  text.startsWith('+') || (text === digits && isValid(`+${digits}`));

/** `+55 (011) 96123-4567` is `5511961234567`: the zero is dialled only within the country. */
function withoutTrunkPrefix(digits: string): string {
  const number = parsePhoneNumberFromString(`+${digits}`);
  return number?.isValid() ? number.number.slice(1) : digits;
}

/** Also an old form counts, such as a Brazilian mobile without its ninth digit. */
const isValid = (number: string): boolean =>
  [number, `+${canonicalPhone(number.slice(1))}`].some((one) => parsePhoneNumberFromString(one)?.isValid());
