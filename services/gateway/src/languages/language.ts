import { readWeights } from '../http/media-type.ts';

/** The languages of errors and guides, each with its own name. English is the default. */
export const languages = { en: 'English', 'pt-BR': 'Português' } as const;
export type Language = keyof typeof languages;

export const isLanguage = (text: unknown): text is Language =>
  typeof text === 'string' && Object.hasOwn(languages, text);

/** By primary language: `pt` and `pt-PT` get Brazilian Portuguese. */
const ofPrimary: ReadonlyMap<string, Language> = new Map([
  ['en', 'en'],
  ['pt', 'pt-BR'],
]);

/**
 * The language that this `Accept-Language` prefers (RFC 9110, 12.5.4). `*` stands for the languages that it does not
 * name. Of equal weights the first one wins.
 */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined) return 'en';
  const ranges = readWeights(acceptLanguage).map(({ range, weight }) => ({
    primary: range.replace(/-.*/, ''),
    weight,
  }));
  const named = new Set(ranges.map(({ primary }) => primary));
  const unnamed = [...ofPrimary.keys()].filter((primary) => !named.has(primary));
  const [first] = ranges
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .flatMap(({ primary }) => (primary === '*' ? unnamed : [primary]))
    .flatMap((primary) => ofPrimary.get(primary) ?? []);
  return first ?? 'en';
}
