import { removeUnknown } from './unknown-addresses.ts';

/** A message of WhatsApp has at most this many characters (code points). */
export const longestReply = 4096;

/**
 * The text of a model as the lead gets it: without its reasoning, with WhatsApp's own marks instead of Markdown, and
 * without links, phone numbers and payment keys that stand in none of the `sources`. Codes stay as they are. Pure. Empty:
 * nothing is left.
 */
export function replyText(written: string, sources: readonly string[]): string {
  const text = withoutLinkMarkup(withoutReasoning(written.replaceAll(invisible, '')));
  return toWhatsApp(removeUnknown(text, sources))
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Characters that show nothing and can hide a link or turn the text around. Joiners of emoji stay. */
const invisible = /[\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

const reasoningTags = 'think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad';

/** What reasoning models write before, between or instead of an answer. */
export function withoutReasoning(text: string): string {
  return text
    .replaceAll(new RegExp(`<(${reasoningTags})\\b[^>]*>[\\s\\S]*?</\\1>`, 'gi'), '')
    .replaceAll(/\[THINK\][\s\S]*?\[\/THINK\]/g, '')
    .replace(/^<\|channel\|>(?:analysis|commentary)[\s\S]*<\|channel\|>final(?:<\|message\|>)?/, '')
    .replaceAll(/<\|(?:message|start|end|return|im_start|im_end)\|>/g, '')
    .replace(new RegExp(`^[\\s\\S]*</(?:${reasoningTags})>`, 'i'), '')
    .replace(new RegExp(`<(?:${reasoningTags})\\b[^>]*>[\\s\\S]*$`, 'i'), '')
    .trim();
}

/** `[text](address)` and `<address>` become what people read. */
const withoutLinkMarkup = (text: string): string =>
  text
    .replaceAll(
      /!?\[([^\]\n]{0,500})\]\(\s*<?([^)\s>]*)>?(?:\s+["'][^)]*["'])?\s*\)/g,
      (_, label: string, address: string) =>
        label.trim() === '' || label.trim() === address ? address : `${label} (${address})`,
    )
    .replaceAll(/<((?:https?:\/\/|mailto:)[^\s>]+)>/gi, '$1');

/**
 * Fenced and inline code, payment codes (EMV, which may have spaces), addresses, and anything long without spaces that has
 * a digit. A mark of Markdown in one of these is part of it.
 */
const codes = /```[\s\S]*?```|`[^`\n]+`|000201[^\n]*?6304[0-9A-Fa-f]{4}|https?:\/\/\S+|(?=[^\s`]{0,80}\d)[^\s`]{20,}/g;

/** Markdown to the marks of WhatsApp (`*bold*`, `_italic_`, `~struck~`). One star or line is taken as WhatsApp's own. */
function toWhatsApp(text: string): string {
  const kept: string[] = [];
  const keep = (code: string): string => `\ue000${kept.push(unfenced(code)) - 1}\ue000`;
  return text
    .replaceAll(codes, keep)
    .replaceAll(/<br\s*\/?>/gi, '\n')
    .replaceAll(/^\s*(?:[-*_]\s*){3,}$/gm, '')
    .replaceAll(/^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?)?\s*$\n?/gm, '')
    .replaceAll(/^\s*\|(.+)\|\s*$/gm, (_, cells: string) =>
      cells
        .split('|')
        .map((cell) => cell.trim())
        .join(' · '),
    )
    .replaceAll(/^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$/gm, (_, title: string) => `*${title.replaceAll('*', '')}*`)
    .replaceAll(/^(\s*)[*+]\s+/gm, '$1- ')
    .replaceAll(/\*\*\*(?=\S)([^*\n]+?)\*\*\*/g, '*_$1_*')
    .replaceAll(/\*\*(?=\S)([^*\n]+?)\*\*/g, '*$1*')
    .replaceAll(/(?<![\w_])__(?=\S)([^_\n]+?)__(?![\w_])/g, '*$1*')
    .replaceAll(/~~(?=\S)([^~\n]+?)~~/g, '~$1~')
    .replaceAll(/\\([\\`*_{}[\]()#+\-.!~>|])/g, '$1')
    .replaceAll(/\ue000(\d+)\ue000/g, (_, place: string) => kept[Number(place)] ?? '');
}

/** WhatsApp shows fences as code, and has no name of a language after them. Code of one line is shown as text. */
const unfenced = (code: string): string =>
  code.startsWith('```')
    ? code.replace(/^```[\w-]*\n/, '```').replace(/\n```$/, '```')
    : /^`[^`]+`$/.test(code)
      ? code.slice(1, -1)
      : code;
