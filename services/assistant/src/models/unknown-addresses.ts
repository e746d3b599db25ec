/** In place of what was removed. */
const removed = '[…]';

/** Endings of names that are taken as a link without `https://`. */
const endings =
  'com|net|org|info|biz|io|app|dev|me|co|link|ly|shop|store|site|online|xyz|page|top|club|live|gg|tk|wa|gl|to|cc|br|pt|es|mx|ar|cl|pe|uy|us|uk|eu|de|fr|it';

type Kind = {
  readonly pattern: RegExp;
  /** What two writings of the same thing have in common. Empty: it is not such a thing. */
  readonly same: (found: string) => string;
  readonly equal?: (one: string, other: string) => boolean;
};

const digits = (found: string): string => found.replaceAll(/\D/g, '');
const exact = (found: string): string => found.toLowerCase();

/** What can lead a customer elsewhere: to another address, another phone or another account. The longest forms first. */
const kinds: readonly Kind[] = [
  // The code of a payment in Brazil (EMV). It may have spaces.
  { pattern: /000201[^\n]*?6304[0-9A-Fa-f]{4}/g, same: exact },
  { pattern: /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, same: exact },
  {
    pattern: new RegExp(
      `\\b[a-z][a-z0-9+.-]{0,20}://[^\\s<>"]+|\\b(?:tel|mailto|sms|wa):[^\\s<>"]+|\\bwww\\.[^\\s<>"]+|\\b(?:[a-z0-9-]{1,63}\\.){1,8}(?:${endings})\\b(?:[/?#][^\\s<>"]*)?`,
      'gi',
    ),
    same: (found) =>
      found
        .toLowerCase()
        .replace(/^https?:\/\//, '')
        .replace(/^www\./, '')
        .replace(/[.,;:!?)\]}'*_~…]+$/, '')
        .replace(/\/$/, ''),
  },
  { pattern: /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, same: exact },
  // Numbers of people and firms in Brazil, which are payment keys too.
  { pattern: /\b\d{3}\.\d{3}\.\d{3}-\d{2}\b|\b\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2}\b/g, same: digits },
  {
    pattern: /(?<![\w$])(?:\+|\(\+?)?\d(?:[ ().-]{0,2}\d){7,14}(?!\w)/g,
    same: (found) => (isPhone(found) ? digits(found) : ''),
    // With or without the code of the country or the region.
    equal: (one, other) => one.endsWith(other) || other.endsWith(one),
  },
];

/** Neither a date, nor an amount, nor a row of times such as `9 10 11 14`. */
const isPhone = (found: string): boolean =>
  !/^\d{4}-\d{2}-\d{2}\b|^\d{2}[.-]\d{2}[.-]\d{4}\b|^\d{1,3}(?:\.\d{3})+$/.test(found) && /[+(]|\d{3}/.test(found);

/** Removes from a text the links, addresses, phone numbers and payment keys that stand in none of the sources. Pure. */
export function removeUnknown(text: string, sources: readonly string[]): string {
  const known = sources.join('\n');
  return kinds.reduce((left, { pattern, same, equal = (one, other) => one === other }) => {
    const allowed = [...known.matchAll(pattern)].map(([found]) => same(found)).filter((found) => found !== '');
    return left.replaceAll(pattern, (found: string) => {
      const wanted = same(found);
      if (wanted === '' || allowed.some((one) => equal(one, wanted))) return found;
      // Marks of the sentence that stand behind a link stay.
      return `${removed}${/[.,;:!?)\]}'*_~…]+$/.exec(found)?.[0] ?? ''}`;
    });
  }, text);
}
