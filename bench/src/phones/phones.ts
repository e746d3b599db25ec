import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PhoneReading, readPhone } from '@mostrador/kit/phones/read-phone';
import { root } from '@mostrador/local-platform/paths';
import { nationalNumbers } from '@mostrador/testing/national-numbers';
import { createRandom } from '@mostrador/testing/random';
import type { Command } from 'commander';
import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/max';
import type { Benchmark, BenchmarkOptions } from '../shared/benchmark.ts';
import { type CountryCounts, countKinds, reportPhones } from './report.ts';

type Options = BenchmarkOptions & { readonly before?: string };
/** Reads a phone, as this version does or as those before it: they returned the phone, or undefined for none. */
type Reader = (written: string, country: string) => PhoneReading | string | undefined;

const numbersOf = (quick: boolean): number => (quick ? 100 : 2_000);
const seed = 20261126;

/** `npm run bench -- phones`. */
export const phones: Benchmark<Options> = {
  name: 'phones',
  about:
    'How digits alone are read in a store of each country: random mobiles of the country, in national form and with country\n' +
    'code. It measures no time, and starts no platform. The full form takes about a minute.',
  addOptions: (command: Command) =>
    command.option('--before <file>', 'also read with the readPhone of this module, of an earlier version'),
  async run({ quick = false, before }, { say, signal }) {
    const earlier: Reader | undefined =
      before === undefined ? undefined : (await import(pathToFileURL(resolve(root, before)).href)).readPhone;
    const count = numbersOf(quick);
    say(`Reading ${count} mobiles of each country.`);
    const counts: CountryCounts[] = [];
    for (const country of getCountries()) {
      signal.throwIfAborted();
      const next = nationalNumbers(country, 'MOBILE', createRandom(seed).next);
      if (next) counts.push(countOf(country, Array.from({ length: count }, next), earlier));
    }
    return { name: 'phones', report: reportPhones({ seed, count, counts, hasBefore: earlier !== undefined }) };
  },
};

function countOf(country: CountryCode, numbers: readonly string[], earlier: Reader | undefined): CountryCounts {
  const callingCode = getCountryCallingCode(country);
  const kindOf = (reader: Reader, written: string, phone: string) => {
    const reading = reader(written, country);
    if (reading === undefined) return 'refused';
    if (typeof reading === 'string') return reading === phone ? 'right' : 'wrong';
    return reading.kind === 'none' || reading.kind === 'ambiguous'
      ? 'refused'
      : reading.phone === phone
        ? 'right'
        : 'wrong';
  };
  const countWith = (reader: Reader, writtenOf: (national: string) => string) =>
    countKinds(numbers.map((national) => kindOf(reader, writtenOf(national), `${callingCode}${national}`)));
  return {
    country,
    national: countWith(readPhone, (national) => national),
    international: countWith(readPhone, (national) => `${callingCode}${national}`),
    before: earlier && countWith(earlier, (national) => national),
  };
}
