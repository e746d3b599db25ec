import { diffArrays } from 'diff';

/** A part of a text. `isOwn`: the other text does not have it here. */
export type DiffPart = { readonly text: string; readonly isOwn: boolean };

/** Words and what stands between them, in every script. */
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Texts that differ in more words than this, spaces counted, are not compared: that takes a tenth of a second at most. */
const mostEdits = 1_000;

/** What each of two texts has that the other has not, by words. Pure. */
export function diffOf(before: string, after: string): { readonly before: DiffPart[]; readonly after: DiffPart[] } {
  const [one, other] = [wordsOf(before), wordsOf(after)];
  const changes = diffArrays(one, other, { maxEditLength: mostEdits }) ?? [
    { value: one, removed: true, added: false },
    { value: other, removed: false, added: true },
  ];
  const wordsBefore = changes.filter(({ added }) => !added).map(({ value, removed }) => ({ value, isOwn: removed }));
  const wordsAfter = changes.filter(({ removed }) => !removed).map(({ value, added }) => ({ value, isOwn: added }));
  return { before: partsOf(wordsBefore), after: partsOf(wordsAfter) };
}

const wordsOf = (text: string): string[] => Array.from(words.segment(text), ({ segment }) => segment);

/** Joins neighbours of one kind. A space between two own words is own, too. */
function partsOf(runs: readonly { readonly value: readonly string[]; readonly isOwn: boolean }[]): DiffPart[] {
  const parts: { text: string; isOwn: boolean }[] = [];
  for (const [place, { value, isOwn }] of runs.entries()) {
    const text = value.join('');
    const isBetween = value.length === 1 && text.trim() === '' && runs[place - 1]?.isOwn && runs[place + 1]?.isOwn;
    const own = isOwn || isBetween === true;
    const last = parts.at(-1);
    if (last?.isOwn === own) last.text += text;
    else if (text !== '') parts.push({ text, isOwn: own });
  }
  return parts;
}
