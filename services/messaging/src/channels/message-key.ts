const prefix = 'wamid.';
/** In an id, a text is this byte, its length and its characters. The last text may be closed by a zero. */
const textMark = 0x18;
const [shortest, longest] = [8, 127];
const isKey = /^[0-9A-Za-z._-]+$/;

/**
 * What of the channel's id of a message names only the message. WhatsApp's ids also contain the customer's number or user
 * id: one message has two ids, and an answer may quote it by the other one. Null: the id has no such part.
 */
export function messageKeyOf(providerMessageId: string): string | null {
  if (!providerMessageId.startsWith(prefix)) return null;
  const bytes = Buffer.from(providerMessageId.slice(prefix.length), 'base64');
  const end = bytes.at(-1) === 0 ? bytes.length - 1 : bytes.length;
  for (let length = shortest; length <= Math.min(longest, end - 2); length += 1) {
    const begin = end - length;
    if (bytes[begin - 1] !== length || bytes[begin - 2] !== textMark) continue;
    const key = bytes.toString('latin1', begin, end);
    return isKey.test(key) ? key : null;
  }
  return null;
}

/** What a quote of the message has in common with it, by each of its ids. */
export const quoteKeyOf = (providerMessageId: string): string => messageKeyOf(providerMessageId) ?? providerMessageId;
