/** A part of a text. `isOwn`: the other text does not have it here. */
export type DiffPart = { readonly text: string; readonly isOwn: boolean };

/** Words and what stands between them, in every script. */
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Two texts with more pairs of words than this are compared as a whole, between what they begin and end with. */
const mostPairs = 4_000_000;

/** What each of two texts has that the other has not, by words. Pure. */
export function diffOf(before: string, after: string): { readonly before: DiffPart[]; readonly after: DiffPart[] } {
  const [one, other] = [wordsOf(before), wordsOf(after)];
  const common = commonWords(one, other);
  return { before: partsOf(one, common.one), after: partsOf(other, common.other) };
}

const wordsOf = (text: string): string[] => Array.from(words.segment(text), ({ segment }) => segment);

type Common = { readonly one: Set<number>; readonly other: Set<number> };

/** The places of the words of a longest common sequence. */
function commonWords(one: readonly string[], other: readonly string[]): Common {
  const common: Common = { one: new Set(), other: new Set() };
  const keep = (place: number, otherPlace: number) => {
    common.one.add(place);
    common.other.add(otherPlace);
  };
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  for (; start < shorter && one[start] === other[start]; start += 1) keep(start, start);
  let end = 0;
  for (; end < shorter - start && one.at(-1 - end) === other.at(-1 - end); end += 1) {
    keep(one.length - 1 - end, other.length - 1 - end);
  }
  const [rows, columns] = [one.length - start - end, other.length - start - end];
  if (rows * columns > mostPairs) return common;
  // How long the longest one is from each pair on.
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  const lengthAt = (row: number, column: number) => lengths[row * width + column] ?? 0;
  const isPair = (row: number, column: number) => one[start + row] === other[start + column];
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      lengths[row * width + column] = isPair(row, column)
        ? lengthAt(row + 1, column + 1) + 1
        : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (isPair(row, column)) {
      keep(start + row, start + column);
      row += 1;
      column += 1;
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row += 1;
    else column += 1;
  }
  return common;
}

/** Joins neighbours of one kind. A space between two own words is own, too. */
function partsOf(all: readonly string[], common: ReadonlySet<number>): DiffPart[] {
  const isOwn = (place: number) => place >= 0 && place < all.length && !common.has(place);
  const parts: { text: string; isOwn: boolean }[] = [];
  for (const [place, text] of all.entries()) {
    const own = isOwn(place) || (text.trim() === '' && isOwn(place - 1) && isOwn(place + 1));
    const last = parts.at(-1);
    if (last?.isOwn === own) last.text += text;
    else parts.push({ text, isOwn: own });
  }
  return parts;
}
