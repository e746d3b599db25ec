import { fold } from './folding.ts';

/** What is asked, in the forms in which it is looked for. */
export type Phrase = {
  /** Lower case. */
  readonly asked: string;
  readonly folded: string;
  /** Its longer words in both forms: what a passage is ranked by, and looked for by likeness when nothing has them. */
  readonly words: readonly { readonly asked: string; readonly folded: string }[];
  /** The syntax of web search is in it: a quoted phrase, OR, or a word that must not be there. */
  readonly exact: boolean;
};

/** Each costs a look into the index: a question has fewer, a pasted text may have more. */
const mostWords = 12;
const shortestWord = 3;

export function readPhrase(q: string): Phrase {
  const exact = /"|(?:^|\s)-\S|\sOR\s/.test(q);
  const wanted = exact ? q.replace(/(?:^|\s)-\S+|\sOR\s/g, ' ') : q;
  const words = [...new Set(wordsOf(wanted.toLowerCase()))].filter((word) => word.length >= shortestWord);
  return {
    asked: q.toLowerCase(),
    folded: fold(q),
    words: words.slice(0, mostWords).map((word) => ({ asked: word, folded: fold(word) })),
    exact,
  };
}

/** The words of a text, as they stand in it. */
export const wordsOf = (text: string): string[] => text.match(word) ?? [];

/** Letters with their marks, and digits. */
const word = /[\p{L}\p{M}\p{N}]+/gu;

/** The text as HTML, with the words that are in `matching` between `<mark>` and `</mark>`. */
export function highlight(text: string, matching: ReadonlySet<string>): string {
  let html = '';
  let end = 0;
  for (const { 0: found, index } of text.matchAll(word)) {
    if (!matching.has(found)) continue;
    html += `${escapeHtml(text.slice(end, index))}<mark>${escapeHtml(found)}</mark>`;
    end = index + found.length;
  }
  return html + escapeHtml(text.slice(end));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
