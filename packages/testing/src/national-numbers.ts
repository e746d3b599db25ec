import { type CountryCode, Metadata } from 'libphonenumber-js/max';

/** A part of a pattern: characters of which one is taken, parts in a row, or alternatives. `size`: how many texts it matches. */
type Part = { readonly size: number } & (
  | { readonly characters: readonly string[] }
  | { readonly row: readonly Part[] }
  | { readonly choice: readonly Part[] }
);

/**
 * Draws national numbers of a country that its numbering plan has, without trunk prefix, each with the same probability.
 * Undefined when the plan has none of the kind. `random` returns a number from 0 to below 1.
 */
export function nationalNumbers(
  country: CountryCode,
  kind: 'MOBILE' | 'FIXED_LINE',
  random: () => number,
): (() => string) | undefined {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const type = (metadata.numberingPlan as unknown as Plan).type(kind);
  const pattern = type?.pattern();
  if (type === undefined || !pattern) return undefined;
  const lengths = new Set(type.possibleLengths());
  const whole = parsePattern(pattern);
  return () => {
    for (;;) {
      const number = draw(whole, random);
      if (lengths.has(number.length)) return number;
    }
  };
}

/** What the library's types leave out. */
type Plan = { type(kind: string): { pattern(): string | undefined; possibleLengths(): readonly number[] } | undefined };

const rowOf = (row: readonly Part[]): Part => ({ row, size: row.reduce((size, part) => size * part.size, 1) });
const choiceOf = (choice: readonly Part[]): Part => ({
  choice,
  size: choice.reduce((size, part) => size + part.size, 0),
});

/** Parses what the patterns of numbering plans consist of: digits, `\d`, sets, groups, alternatives and repetitions. */
function parsePattern(pattern: string): Part {
  const tokens = pattern.match(/\(\?:|\\d|\[[\d-]+\]|\{\d+(?:,\d+)?\}|[\d()|?]/g) ?? [];
  if (tokens.join('') !== pattern) throw new Error(`unknown syntax in ${pattern}`);
  let at = 0;
  const alternatives = (): Part => {
    const choice = [sequence()];
    while (tokens[at] === '|') {
      at += 1;
      choice.push(sequence());
    }
    return choice.length === 1 ? (choice[0] as Part) : choiceOf(choice);
  };
  const sequence = (): Part => {
    const row: Part[] = [];
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') row.push(repeated(single()));
    return rowOf(row);
  };
  const single = (): Part => {
    const token = tokens[at++] as string;
    if (token === '(' || token === '(?:') {
      const part = alternatives();
      at += 1;
      return part;
    }
    const characters = token === '\\d' ? digitsOf('0-9') : digitsOf(token.replaceAll(/[[\]]/g, ''));
    return { characters, size: characters.length };
  };
  const repeated = (part: Part): Part => {
    const token = tokens[at];
    if (token !== '?' && !token?.startsWith('{')) return part;
    at += 1;
    const [least = 0, most = least] = token === '?' ? [0, 1] : (token.match(/\d+/g) ?? []).map(Number);
    const times = Array.from({ length: most - least + 1 }, (_, i) => rowOf(Array(least + i).fill(part)));
    return times.length === 1 ? (times[0] as Part) : choiceOf(times);
  };
  return alternatives();
}

/** The digits of a set such as `1-35`. */
function digitsOf(set: string): string[] {
  return (set.match(/\d-\d|\d/g) ?? []).flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
  });
}

function draw(part: Part, random: () => number): string {
  if ('characters' in part) return part.characters[Math.floor(random() * part.size)] as string;
  if ('row' in part) return part.row.map((each) => draw(each, random)).join('');
  let rest = random() * part.size;
  const chosen = part.choice.find((each) => {
    rest -= each.size;
    return rest < 0;
  });
  return draw(chosen ?? (part.choice.at(-1) as Part), random);
}
