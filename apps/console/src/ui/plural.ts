import { getLocale } from '../paraglide/runtime.js';

/** The words for a count: where the language has a form for one, `one` says it. */
export const plural = (
  count: number,
  one: () => string,
  other: (input: { count: number }) => string,
  locale: string = getLocale(),
): string => (count === 1 && new Intl.PluralRules(locale).select(count) === 'one' ? one() : other({ count }));
