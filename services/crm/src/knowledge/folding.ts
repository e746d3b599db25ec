/** Letters that are not a base letter with a mark, as Unicode sees it, and how they are typed without. */
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
 * Lower case and without accents, as people type in a hurry: `Coloração` becomes `coloracao`. It is done here and not by
 * PostgreSQL's `unaccent`, so that what is stored, what is asked and what is highlighted go through the same rule.
 */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .replace(/[ßæœøđðłþı]/g, (letter) => letters[letter] ?? letter);
