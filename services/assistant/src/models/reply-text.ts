import { removeUnknown } from './unknown-addresses.ts';

/** A message of WhatsApp has at most this many characters (code points). */
export const longestReply = 4096;

/**
 * The text of a model as the lead gets it: without its reasoning, with WhatsApp's own marks instead of Markdown, and
 * without links, phone numbers and payment keys that stand in none of the `sources`. Codes stay as they are. Pure. Empty:
 * nothing is left.
 */
export function replyText(written: string, sources: readonly string[]): string {
  const visible = plainLetters(withoutInvisible(written)).replaceAll(/\r\n?|[\u2028\u2029]/g, '\n');
  const text = withoutLinkMarkup(withoutReasoning(visible));
  return toWhatsApp(
    removeUnknown(
      text,
      sources.map((source) => plainLetters(withoutInvisible(source))),
    ),
  )
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Without characters that show nothing and can hide a link or turn the text around. Those inside of an emoji stay. */
const withoutInvisible = (text: string): string =>
  text
    .replaceAll(/(?![\u200d\ufe0e\ufe0f\u{e0020}-\u{e007f}])[\p{Default_Ignorable_Code_Point}\u061c\u200e\u200f]/gu, '')
    .replaceAll(
      /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|\u200d(?!\p{Extended_Pictographic})/gu,
      '',
    );

/** Letters and digits that are read as Latin ones, and that WhatsApp may take for a link or a phone. */
const plainLetters = (text: string): string =>
  text
    .replaceAll(/[\uff01-\uff5e\u24b6-\u24e9\u{1d400}-\u{1d7ff}]/gu, (letter) => letter.normalize('NFKC'))
    .replaceAll(/(?![0-9])\p{Nd}/gu, digitOf);

/** The digits of a script follow each other, from 0 to 9. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

/** `<think>`, `<thinking mode="long">`, `[/THINK]` and the like. */
const reasoningTags =
  /<\/?(?:think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)\b[^<>]{0,200}>|\[\/?THINK\]/gi;

/** What reasoning models write before, between or instead of an answer. The work grows with the length alone. */
export const withoutReasoning = (text: string): string =>
  outsideTags(text)
    .replace(/^<\|channel\|>(?:analysis|commentary)[\s\S]*<\|channel\|>final(?:<\|message\|>)?/, '')
    .replaceAll(/<\|(?:message|start|end|return|im_start|im_end)\|>/g, '')
    .trim();

/** An end without a beginning ends what stands before it, and a beginning without an end hides the rest. */
function outsideTags(text: string): string {
  let kept = '';
  /** Where the text outside of tags goes on. Undefined: inside. */
  let from: number | undefined = 0;
  for (const { 0: tag, index } of text.matchAll(reasoningTags)) {
    if (tag.startsWith('/', 1)) {
      if (from !== undefined) kept = '';
      from = index + tag.length;
    } else if (from !== undefined) {
      kept += text.slice(from, index);
      from = undefined;
    }
  }
  return from === undefined ? kept : kept + text.slice(from);
}

/** `[text](address)` and `<address>` become what people read. */
const withoutLinkMarkup = (text: string): string =>
  text
    .replaceAll(
      /!?\[([^\]\n]{0,500})\]\(\s{0,9}<?([^)\s>]{0,2000})>?(?:\s{1,9}["'][^)]{0,200}["'])?\s{0,9}\)/g,
      (_, label: string, address: string) =>
        label.trim() === '' || label.trim() === address ? address : `${label} (${address})`,
    )
    .replaceAll(/<((?:https?:\/\/|mailto:)[^\s>]+)>/gi, '$1');

/**
 * Fenced and inline code, payment codes (EMV, which may have spaces), addresses, and anything long without spaces that has
 * a digit. A mark of Markdown in one of these is part of it.
 */
const codes = /```[\s\S]*?```|`[^`\n]+`|000201[^\n]*?6304[0-9A-Fa-f]{4}|https?:\/\/\S+|(?=[^\s`]{0,80}\d)[^\s`]{20,}/g;

/**
 * Markdown to the marks of WhatsApp (`*bold*`, `_italic_`, `~struck~`). One star or line is taken as WhatsApp's own. In a
 * pattern, no two repetitions next to each other take the same character: their work would grow with a power of its number.
 */
function toWhatsApp(text: string): string {
  const kept: string[] = [];
  const keep = (code: string): string => `\ue000${kept.push(unfenced(code)) - 1}\ue000`;
  return text
    .replaceAll(codes, keep)
    .replaceAll(/<br\s*\/?>/gi, '\n')
    .replaceAll(/^[^\S\n]*(?:[-*_][^\S\n]*){3,}$/gm, '')
    .replaceAll(/^[\t |:-]+$\n?/gm, (row) => (row.includes('|') && row.includes('--') ? '' : row))
    .replaceAll(/^[^\S\n]*\|(.+)\|[^\S\n]*$/gm, (_, cells: string) =>
      cells
        .split('|')
        .map((cell) => cell.trim())
        .join(' · '),
    )
    .replaceAll(/^ {0,3}#{1,6}[^\S\n]+(.*)$/gm, (_, title: string) => headingOf(title))
    .replaceAll(/^([^\S\n]*)[*+][^\S\n]+/gm, '$1- ')
    .replaceAll(/\*\*\*(?=\S)([^*\n]+?)\*\*\*/g, '*_$1_*')
    .replaceAll(/\*\*(?=\S)([^*\n]+?)\*\*/g, '*$1*')
    .replaceAll(/(?<![\w_])__(?=\S)([^_\n]+?)__(?![\w_])/g, '*$1*')
    .replaceAll(/~~(?=\S)([^~\n]+?)~~/g, '~$1~')
    .replaceAll(/\\([\\`*_{}[\]()#+\-.!~>|])/g, '$1')
    .replaceAll(/\ue000(\d+)\ue000/g, (_, place: string) => kept[Number(place)] ?? '');
}

function headingOf(title: string): string {
  const plain = title
    .replaceAll('*', '')
    .trim()
    .replace(/(?<!#)#+$/, '')
    .trim();
  return plain === '' ? '' : `*${plain}*`;
}

/** WhatsApp shows fences as code, and has no name of a language after them. Code of one line is shown as text. */
const unfenced = (code: string): string =>
  code.startsWith('```')
    ? code.replace(/^```[\w-]*\n/, '```').replace(/\n```$/, '```')
    : /^`[^`]+`$/.test(code)
      ? code.slice(1, -1)
      : code;
