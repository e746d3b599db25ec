/**
 * The segments of an address's path without escapes, each as a text of bytes. `/a@b/`, `/a%40b` and `//%61@b` have equal
 * segments. An escaped slash stays a part of its segment (RFC 3986, 6.2.2).
 */
const segmentsOf = ({ pathname }: URL): string[] =>
  pathname
    .split('/')
    .filter(Boolean)
    .map((segment) =>
      segment.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    );

const areEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((segment, index) => segment === others[index]);

/** Whether two addresses are one, however their paths are escaped, and with or without a slash at the end. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [URL.parse(one), URL.parse(other)];
  if (!first || !second) return one === other;
  return first.origin === second.origin && areEqual(segmentsOf(first), segmentsOf(second));
}

/**
 * The address of a member of the collection, which its server names by `href`. Undefined when `href` names the collection
 * itself, or nothing.
 *
 * A server names only the direct members of a collection (RFC 4791, 5.2), so the last segment decides. A proxy may change
 * all that stands before it: the scheme, the host, and a prefix that it adds or removes.
 */
export function memberAddress(collection: URL, href: string): string | undefined {
  const named = URL.parse(href, collection.href);
  if (named?.protocol !== 'http:' && named?.protocol !== 'https:') return undefined;
  const name = named.pathname.split('/').filter(Boolean).at(-1);
  if (name === undefined) return undefined;
  const [own, segments] = [segmentsOf(collection), segmentsOf(named)];
  const common = Math.min(own.length, segments.length);
  // The longer of the two paths has the other's prefix as well.
  if (common > 0 && areEqual(own.slice(-common), segments.slice(-common))) return undefined;
  return new URL(`./${name}`, collection).href;
}
