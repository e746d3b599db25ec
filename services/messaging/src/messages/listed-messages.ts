import { type Message, type MessageContent, maxListedBodyLength, maxListedContentBytes } from '@mostrador/contracts';
import { type MessageRow, type MessageWait, toMessage } from './message.ts';

/**
 * What the long texts and contents of one answer may add to it, in bytes of JSON. Without them the largest page has
 * 7.6 MB, and a NATS message at most 8 MiB.
 */
const mostSurplusBytes = 512 * 1024;

/** The first characters of a text. It never splits a surrogate pair. */
const beginningOf = (text: string): string =>
  Array.from(text.slice(0, 2 * maxListedBodyLength))
    .slice(0, maxListedBodyLength)
    .join('');

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The room of one answer. Pass what is long in the order in which it is listed. */
export type Budget = {
  /** The whole text as long as there is room, else at least its first `maxListedBodyLength` characters. */
  text(text: string): string;
  /** The whole content as long as there is room, else that there is one. */
  content(content: MessageContent | null): MessageContent | null;
};

export function createBudget(): Budget {
  let left = mostSurplusBytes;
  /** The whole, if what it has more than `short` fits in. */
  const fit = <Value>(whole: Value, surplus: number, short: Value): Value => {
    if (surplus > left) return short;
    left -= surplus;
    return whole;
  };
  return {
    text(text) {
      // A character has one or two code units.
      if (text.length <= maxListedBodyLength) return text;
      const beginning = beginningOf(text);
      return fit(text, bytesOf(text) - bytesOf(beginning), beginning);
    },
    content(content) {
      const bytes = content === null ? 0 : bytesOf(content);
      return bytes <= maxListedContentBytes ? content : fit(content, bytes, { truncated: true });
    },
  };
}

/** Shows the messages of one page. */
export function toListedMessage(): (row: MessageRow & Partial<MessageWait>) => Message {
  const fit = createBudget();
  return (row) => {
    const body = fit.text(row.body);
    const content = fit.content(row.content);
    return toMessage({ ...row, body, content, body_truncated: row.body_truncated || body !== row.body });
  };
}
