/** The first of these languages that the console has. `pt` and `pt-PT` get `pt-BR`, `es-AR` gets `es`. */
export function preferredLocale<Locale extends string>(
  languages: readonly string[],
  locales: readonly Locale[],
): Locale | undefined {
  const primaryOf = (tag: string) => tag.toLowerCase().split('-')[0];
  for (const language of languages) {
    const locale = locales.find((one) => primaryOf(one) === primaryOf(language));
    if (locale) return locale;
  }
  return undefined;
}
