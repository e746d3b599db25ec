/** A parsed `Idempotency-Key`: the key, or what is wrong with it. */
export type ReadKey = { readonly key: string } | { readonly fault: string };

const printable = /^[\x20-\x7e]{1,255}$/;
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * Parses both forms of the header: bare `k`, and the quoted string `"k"` of the IETF draft (RFC 9651, with `\"` and
 * `\\` as its only escapes). Both forms are the same key.
 */
export function readIdempotencyKey(header: string): ReadKey {
  let key = header;
  if (header.startsWith('"')) {
    const inner = quoted.exec(header)?.[1];
    if (inner === undefined) return { fault: 'must be a quoted string when it begins with a quotation mark' };
    key = inner.replaceAll(/\\(["\\])/g, '$1');
  }
  return printable.test(key) ? { key } : { fault: 'must be 1 to 255 printable ASCII characters' };
}
