/**
 * Whether a header came more than once. Node joins the values of such a header with commas, which for a key would make
 * another key of it. `name` is in lower case.
 */
export function sentTwice(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count++;
  }
  return count > 1;
}

/** A request id that came in is kept when it is harmless in a log and in a header. */
export function saneRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : undefined;
}

/** A W3C trace context is passed on when it is one. */
export function saneTraceparent(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(header)
    ? header
    : undefined;
}
