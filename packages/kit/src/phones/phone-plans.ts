import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { canonicalPhone } from './canonical-phone.ts';

/** The country, if the numbering plans know it. A store may be in one that they do not know, such as Antarctica. */
export const planOf = (country: string | null): CountryCode | undefined =>
  country !== null && isSupportedCountry(country) ? country : undefined;

/** The calling code of the country: 55 for Brazil. */
export const callingCodeOf = (country: CountryCode): string => getCountryCallingCode(country);

/**
 * Whether these digits, with a country code, are a number that exists, exactly as they are. An old form of a number
 * counts too, such as a Brazilian mobile without its ninth digit.
 */
export const isNumber = (digits: string): boolean => isExactly(digits) || isExactly(canonicalPhone(digits));

/** The library's parser would drop a digit that looks like a trunk prefix. Its constructor keeps all of them. */
function isExactly(digits: string): boolean {
  const number = numberOf(digits);
  if (number === undefined) return false;
  if (number.isNonGeographic()) return number.isValid();
  // Several countries share a calling code such as 1. The number may be valid in any of them.
  return number.getPossibleCountries().some((country) => {
    number.country = country;
    return number.isValid();
  });
}

function numberOf(digits: string): PhoneNumber | undefined {
  try {
    return new PhoneNumber(`+${digits}`);
  } catch {
    return undefined; // No country code, or nothing behind it.
  }
}

/** The calling code with which these digits begin. */
export const callingCodeIn = (digits: string): string | undefined => numberOf(digits)?.countryCallingCode;

/**
 * The number without the trunk prefix behind its country code, if it has one there: `5511961234567` for
 * `55011961234567`, because people write `+55 (011) 96123-4567`.
 */
export function withoutTrunkPrefix(digits: string): string | undefined {
  const number = parsePhoneNumberFromString(`+${digits}`)?.number.slice(1);
  return number !== undefined && number !== digits && isNumber(number) ? number : undefined;
}

/**
 * The number that these digits are when dialled within the country, with country code. They may have the trunk prefix,
 * which the code of a carrier may follow, or the country's prefix for calls abroad.
 */
export function dialledWithin(country: CountryCode, digits: string): string | undefined {
  const callingCode = callingCodeOf(country);
  const prefix = trunkPrefixOf(country);
  const behindPrefix = prefix !== undefined && digits.startsWith(prefix) ? digits.slice(prefix.length) : digits;
  const whole = [digits, behindPrefix].map((one) => `${callingCode}${one}`);
  const exact = whole.find(isExactly);
  if (exact !== undefined) return exact;
  const number = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false })?.number.slice(1);
  if (number !== undefined && isNumber(number) && isDialled(number)) return number;
  // A Brazilian mobile without its ninth digit. Mexico's 1 was for calls from abroad only.
  return whole.find((one) => isNumber(one) && canonicalPhone(one).length > one.length);

  /**
   * The library's parser does more than to remove a prefix: it adds the area code of an island, and removes the 90 of a
   * collect call and the codes of carriers from what may be a foreign number.
   */
  function isDialled(number: string): boolean {
    const local = number.startsWith(callingCode) ? number.slice(callingCode.length) : number;
    if (!digits.endsWith(local)) return canonicalPhone(`${callingCode}${behindPrefix}`) === number;
    const before = digits.slice(0, -local.length);
    // Belarus dials 80 before an area code. Digits before a number of another country are a prefix for calls abroad.
    return before.startsWith('0') || before === `${prefix}0` || number === local;
  }
}

/** What is dialled before a number within the country: 0 in Brazil. The library's types leave it out. */
function trunkPrefixOf(country: CountryCode): string | undefined {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const plan = metadata.numberingPlan as unknown as { nationalPrefix(): string | undefined };
  return plan.nationalPrefix() || undefined;
}

/** The first group of a number's digits behind the country code, as the country writes them: the area code, if any. */
export const firstGroupOf = (phone: string): string | undefined => numberOf(phone)?.formatInternational().split(' ')[1];
