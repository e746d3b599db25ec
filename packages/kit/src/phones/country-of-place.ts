import { countryOfZone } from './country-of-zone.ts';

/**
 * The country of a place: the one that was set, else that of the time zone, else that of the locale, else none. Never
 * throws: what an operator wrote in SQL must not stop the reading of all keys.
 */
export function countryOf(store: {
  readonly country: string | null;
  readonly timezone: string;
  readonly locale: string;
}): string | null {
  return store.country ?? orNull(() => countryOfZone(store.timezone)) ?? orNull(() => regionOf(store.locale));
}

function orNull(read: () => string | null): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Null also for a region that is no country, such as 419 in `es-419`. */
function regionOf(locale: string): string | null {
  const { region } = new Intl.Locale(locale);
  return region !== undefined && /^[A-Z]{2}$/.test(region) ? region : null;
}
