/** What a browser says about where a request comes from. A page cannot change these headers. */
export type Provenance = {
  readonly method: string;
  /** The `Sec-Fetch-Site` header. Old browsers do not send it. */
  readonly site: string | string[] | undefined;
  readonly origin: string | undefined;
};

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request changes nothing, or comes from a page of this address. A browser sends the cookie of a session with
 * requests of other sites' pages too, so without this any page could act for the person who looks at it.
 *
 * @param ownOrigin scheme, host and port of this address
 */
export function isFromThisSite({ method, site, origin }: Provenance, ownOrigin: string): boolean {
  if (safeMethods.has(method)) return true;
  if (site !== undefined) return site === 'same-origin';
  return origin === ownOrigin;
}
