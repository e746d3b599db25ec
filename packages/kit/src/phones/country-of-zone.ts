import { getCountries } from 'libphonenumber-js/max';

/** The country of each known name of a time zone; null for none. Created on first use. */
let countries: Map<string, string | null> | undefined;

/** The country (ISO 3166) in which a valid time zone is; null for one in no country, such as UTC. */
export function countryOfZone(timeZone: string): string | null {
  countries ??= new Map(getCountries().flatMap((country) => zonesOf(country).map((zone) => [zone, country])));
  const known = countries.get(timeZone);
  if (known !== undefined) return known;
  // A second name of a zone, such as `America/Argentina/Buenos_Aires`. Remembered, because a formatter is slow to make.
  const { timeZone: first } = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions();
  const country = countries.get(first) ?? null;
  countries.set(timeZone, country);
  return country;
}

/** TypeScript's library has no `getTimeZones` yet. */
const zonesOf = (country: string): string[] =>
  (new Intl.Locale('und', { region: country }) as Intl.Locale & { getTimeZones(): string[] }).getTimeZones();
