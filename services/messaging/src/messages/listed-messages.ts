import { type Message, maxListedBodyLength } from '@mostrador/contracts';
import { type MessageRow, type MessageWait, toMessage } from './message.ts';

/**
 * What the long texts of one answer may add to it, in bytes of JSON. Without them the largest page has 7.3 MB, and a NATS
 * message at most 8 MiB.
 */
const mostSurplusBytes = 512 * 1024;

/** The first characters of a text. It never splits a surrogate pair. */
const beginningOf = (text: string): string =>
  Array.from(text.slice(0, 2 * maxListedBodyLength))
    .slice(0, maxListedBodyLength)
    .join('');

/**
 * Cuts the long texts of one answer: each keeps at least `maxListedBodyLength` characters, and as long as there is room the
 * whole. Create one for each answer, and pass the texts in order. Returns the text itself when it is not cut.
 */
export function createTextBudget(): (text: string) => string {
  let left = mostSurplusBytes;
  return (text) => {
    // A character has one or two code units.
    if (text.length <= maxListedBodyLength) return text;
    const beginning = beginningOf(text);
    const surplus = Buffer.byteLength(JSON.stringify(text)) - Buffer.byteLength(JSON.stringify(beginning));
    if (surplus > left) return beginning;
    left -= surplus;
    return text;
  };
}

/** Shows the messages of one page. */
export function toListedMessage(): (row: MessageRow & Partial<MessageWait>) => Message {
  const fit = createTextBudget();
  return (row) => {
    const body = fit(row.body);
    return toMessage({ ...row, body, body_truncated: row.body_truncated || body !== row.body });
  };
}
