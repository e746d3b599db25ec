import { parse } from 'tldts';

/** In place of what was removed. */
export const removed = '[…]';

/** A thing that stands in a text: as it is compared, and as it was written. `next`: the character behind it. */
type Found = { readonly plain: string; readonly written: string; readonly next: string };
type Kind = {
  /** For a folded text. */
  readonly pattern: RegExp;
  /** What two writings of the same thing have in common. Empty: it is not such a thing. */
  readonly same: (found: Found) => string;
};

/**
 * The text in which things are looked for: other spaces, dashes, points and digits in plain ones, and ASCII letters in lower
 * case. Every character keeps its place.
 */
const fold = (text: string): string =>
  text
    .replaceAll(/[\u2010-\u2015\u2212\ufe58\ufe63]/g, '-')
    .replaceAll(/[\p{Zs}\t]/gu, ' ')
    .replaceAll(/[\u2024\u3002\uff61]/g, '.')
    .replaceAll(/[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u24ea]/g, (digit) =>
      digit.normalize('NFKC'),
    )
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const exact = ({ plain }: Found): string => plain;
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const path = '[/?#][^\\s<>"]*';
const letter = '[\\p{L}\\p{N}_-]';

/** What can lead a customer elsewhere, but for rows of digits. The longest forms first. */
const kinds: readonly Kind[] = [
  // The code of a payment in Brazil (EMV). It may have spaces.
  { pattern: /000201[^\n]*?6304[0-9a-f]{4}/g, same: exact },
  {
    pattern: /(?<![\p{L}\p{N}_])[\p{L}\p{N}_.+-]{1,64}@[\p{L}\p{N}_-]{1,63}(?:\.[\p{L}\p{N}_-]{1,63}){1,8}/gu,
    same: exact,
  },
  {
    pattern: new RegExp(
      `(?<![a-z0-9])[a-z][a-z0-9+.-]{0,20}://[^\\s<>"]+|\\b(?:tel|mailto|sms|wa):[^\\s<>"]+|\\bwww\\.[^\\s<>"]+` +
        `|(?<![\\d.])(?:${octet}\\.){3}${octet}(?::\\d{1,5})?${path}|(?<![\\d.])(?:${octet}\\.){3}${octet}:\\d{2,5}\\b` +
        `|(?<!${letter}|@)(?:[\\p{L}\\p{N}]${letter}{0,62}\\.){1,8}[\\p{L}]${letter}{1,62}(?!@)(?::\\d{1,5})?(?:${path})?`,
      'gu',
    ),
    same: (found) =>
      isLink(found)
        ? found.plain
            .replace(/^https?:\/\//, '')
            .replace(/^www\./, '')
            .replace(trailing, '')
            .replace(/\/$/, '')
        : '',
  },
  { pattern: /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, same: exact },
  // Accounts: an IBAN, and those of currencies of the network.
  {
    pattern: /\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?\b/g,
    same: ({ plain }) => (/(?:\d.*){8}/.test(plain) ? plain.replaceAll(' ', '') : ''),
  },
  { pattern: /\b(?:bc1[a-z0-9]{25,60}|[13](?=[a-z0-9]*\d)[a-z0-9]{25,34}|0x[0-9a-f]{40})\b/g, same: exact },
];

/** Marks of the sentence that stand behind a link. */
const trailing = /[.,;:!?)\]}'*_~…]+$/;

/** Endings of names that are also words. In upper case behind a point they begin a sentence: `Até hoje.No sábado`. */
const alsoWords: ReadonlySet<string> = new Set([
  ...[
    'no',
    'se',
    'do',
    'de',
    'as',
    'la',
    'so',
    'at',
    'in',
    'is',
    'it',
    'us',
    'be',
    'by',
    'my',
    'am',
    'si',
    'es',
    've',
    'va',
  ],
  ...[
    'na',
    'et',
    'al',
    'ao',
    'as',
    'to',
    'hoy',
    'now',
    'how',
    'you',
    'here',
    'open',
    'sale',
    'free',
    'day',
    'best',
    'ma',
    'pa',
  ],
]);

/** Whether a name is one that a phone makes a link of: with a scheme or a path, or with an ending that names have. */
function isLink({ plain, written }: Found): boolean {
  if (/^(?:[a-z][a-z0-9+.-]*:|www\.)/.test(plain) || /^[\d.:]+(?:[/?#]|:|$)/.test(plain)) return true;
  const [host = ''] = plain.split(/[/?#:]/);
  if (host.length < plain.replace(trailing, '').length) return true;
  const { isIcann, domain, publicSuffix } = parse(host, { validateHostname: false });
  if (!isIcann || domain === null) return false;
  return !(alsoWords.has(publicSuffix ?? '') && /\.\p{Lu}\p{Ll}*$/u.test(written.slice(0, host.length)));
}

/** What stands between the digits of a number. The last two make an emoji of a digit. */
const between = '[ ().\\-/_·•|*~\\ufe0f\\u20e3]{0,4}';
const digitRows = new RegExp(
  `(?:(?<![\\p{L}\\p{N}$])|(?<=(?:tel|fone|zap|whats|whatsapp|pix|cel|phone|call|ligue)))(?:\\+|\\(\\+?)?\\d(?:${between}\\d){7,}`,
  'gu',
);

const months = '(?:0?[1-9]|1[0-2])';
const days = '(?:0?[1-9]|[12]\\d|3[01])';
const year = '(?:19|20)\\d{2}';
/** Dates, times, years and amounts of money. None is part of a number. */
const otherNumbers = new RegExp(
  [
    `(?<!\\d)${year}-${months}-${days}(?!\\d)`,
    `(?<![\\d/.-])(?:${days}([/.-])${months}\\1${year}|${months}/${days}/${year}|${days}/${months}/\\d{2})(?!\\d|[/.-]\\d)`,
    `(?<![\\d/])${days}/${months}(?![\\d/])`,
    `(?<!\\d)${year} ?[-/] ?${year}(?!\\d)`,
    '(?<!\\d)\\d{1,2}:\\d{2}(?!\\d)',
    '[$€£] ?\\d[\\d.,]*',
    '(?<!\\d)\\d{1,3}(?:[. ]\\d{3})+(?:,\\d{2})? ?(?=€|reais|pesos|d[óo]lares|dollars|euros|guaran|brl|usd|eur|clp|cop|ars|mxn)',
  ].join('|'),
  'g',
);
const withoutOtherNumbers = (text: string): string =>
  text.replaceAll(otherNumbers, (found) => '\u0001'.repeat(found.length));

/** A row of numbers that grow or fall, such as `9 10 11 14 15` and `300 400 500`: times, days, sizes. */
function isList(groups: readonly string[]): boolean {
  const numbers = groups.map(Number);
  const isEven = (compare: (one: number, other: number) => boolean) =>
    numbers.every((number, place) => place === 0 || compare(numbers[place - 1] as number, number));
  const lengths = groups.map(({ length }) => length);
  if (groups.length < 3 || Math.max(...lengths) > 3 || Math.max(...lengths) - Math.min(...lengths) > 1) return false;
  if (groups[0]?.startsWith('0') && numbers.some((number) => number > 31)) return false;
  if (!lengths.includes(3) && numbers.some((number) => number > 60)) return false;
  if (lengths.includes(3) && !numbers.every((number) => number % 5 === 0)) return false;
  return isEven((one, other) => one < other) || isEven((one, other) => one > other);
}

/** Whether a row of digits is a phone, or a number of a person, a firm or an account. */
function isNumber({ plain, next }: Found, groups: readonly string[]): boolean {
  // Digits with letters are a code.
  if (groups.length === 1 && /^[\p{L}_]/u.test(next)) return false;
  if (isList(groups)) return false;
  const [{ length } = '', ...rest] = groups;
  return /[+(]|\d{3}/.test(plain) || (length < 3 && rest.every((group) => group.length === length));
}

const groupsOf = (row: string): string[] => row.split(/\D+/).filter((group) => group !== '');
const mostGroups = 60;
const longestNumber = 12;

/** The numbers that a row of a document can mean: any of its parts that follow each other. */
function numbersOf(row: string): string[] {
  const groups = groupsOf(row);
  return groups.flatMap((_, first) =>
    Array.from({ length: longestNumber }, (__, more) => groups.slice(first, first + more + 1).join('')).filter(
      ({ length }) => length >= 8,
    ),
  );
}

/** Whether a row consists of known numbers, with or without the code of a country or a region. Short numbers may be beside. */
function isKnown(groups: readonly string[], known: ReadonlySet<string>): boolean {
  if (groups.length > mostGroups) return false;
  const knows = (number: string) =>
    known.has(number) ||
    [...known].some((one) => one.endsWith(number) || (number.endsWith(one) && number.length - one.length <= 5));
  /** Whether the groups up to a place can be explained, and some of them are a known number. */
  const reached: (false | 'short' | 'known')[] = ['short'];
  for (let end = 1; end <= groups.length; end += 1) {
    const isShort = (groups[end - 1] as string).length <= 3;
    let best: false | 'short' | 'known' = isShort ? (reached[end - 1] ?? false) : false;
    for (let first = Math.max(0, end - longestNumber); first < end; first += 1) {
      const number = groups.slice(first, end).join('');
      if (reached[first] && number.length >= 8 && knows(number)) best = 'known';
    }
    reached.push(best);
  }
  return reached.at(-1) === 'known';
}

/** Removes what a pattern finds in the folded text, unless it is kept. */
function removeFound(text: string, plain: string, pattern: RegExp, isKept: (found: Found) => boolean): string {
  let [left, from] = ['', 0];
  for (const { 0: found, index } of plain.matchAll(pattern)) {
    const end = index + found.length;
    const written = text.slice(index, end);
    if (isKept({ plain: found, written, next: plain.slice(end, end + 1) })) continue;
    // Marks of the sentence that stand behind a link stay.
    left += `${text.slice(from, index)}${removed}${trailing.exec(written)?.[0] ?? ''}`;
    from = end;
  }
  return left + text.slice(from);
}

/** Removes from a text the links, addresses, phone numbers and payment keys that stand in none of the sources. Pure. */
export function removeUnknown(text: string, sources: readonly string[]): string {
  const known = sources.join('\n');
  const plainKnown = fold(known);
  const withoutKinds = kinds.reduce((left, { pattern, same }) => {
    const plain = fold(left);
    if (plain.search(pattern) < 0) return left;
    const allowed = new Set(
      [...plainKnown.matchAll(pattern)].map(({ 0: found, index }) =>
        same({ plain: found, written: known.slice(index, index + found.length), next: '' }),
      ),
    );
    return removeFound(left, plain, pattern, (found) => {
      const wanted = same(found);
      return wanted === '' || allowed.has(wanted);
    });
  }, text);
  const plain = withoutOtherNumbers(fold(withoutKinds));
  if (plain.search(digitRows) < 0) return withoutKinds;
  const numbers = new Set([...withoutOtherNumbers(plainKnown).matchAll(digitRows)].flatMap(([row]) => numbersOf(row)));
  return removeFound(withoutKinds, plain, digitRows, (found) => {
    const groups = groupsOf(found.plain);
    return !isNumber(found, groups) || isKnown(groups, numbers);
  });
}
