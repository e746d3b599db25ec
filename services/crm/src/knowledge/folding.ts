/** Letters that Unicode does not decompose into a base letter and a mark, with their plain spelling. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/**
 * Lower case without accents, as people type in a hurry: `Coloração` becomes `coloracao`. It replaces PostgreSQL's
 * `unaccent`, so that stored texts, queries and highlights all use the same rule.
 */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .replace(/[ßæœøđðłþı]/g, (letter) => letters[letter] ?? letter);
