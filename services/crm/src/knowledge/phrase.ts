import { fold } from './folding.ts';

/** The text of a search, in the forms that the query needs. */
export type Phrase = {
  /** The text in lower case. */
  readonly asked: string;
  readonly folded: string;
  /** Its longer words in both forms. They rank passages; without a match they find similar words. */
  readonly words: readonly { readonly asked: string; readonly folded: string }[];
  /** Whether it has the syntax of web search: a quoted phrase, OR, or an excluded word. */
  readonly exact: boolean;
};

/** Each word costs an index look-up. A question has fewer words, a pasted text may have more. */
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

/** The words of a text, unchanged and in order. */
export const wordsOf = (text: string): string[] => text.match(word) ?? [];

/** Letters with their marks, and digits. */
const word = /[\p{L}\p{M}\p{N}]+/gu;

/** The text as HTML, with the words of `matching` between `<mark>` and `</mark>`. */
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
