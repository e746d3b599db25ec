/** What a browser says about where a request comes from. A page cannot change these headers. */
export type Provenance = {
  readonly method: string;
  /** The `Sec-Fetch-Site` header. Old browsers do not send it. */
  readonly site: string | string[] | undefined;
  readonly origin: string | undefined;
  /** Whether it has the cookie of a session. */
  readonly hasSession: boolean;
};

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request comes from a page of this address, or need not. A browser sends the cookie of a session with requests
 * of other sites' pages too, so without this any page could act for the person who looks at it. A page of another site can
 * also open the address of a read. It then sees only how long the answer takes and how large it is.
 *
 * @param ownOrigin scheme, host and port of this address
 */
export function isFromThisSite({ method, site, origin, hasSession }: Provenance, ownOrigin: string): boolean {
  if (safeMethods.has(method)) return !hasSession || site === undefined || site === 'same-origin' || site === 'none';
  if (site !== undefined) return site === 'same-origin';
  return origin === ownOrigin;
}
