/** An entity tag without the mark of a weak one: weak comparison (RFC 9110, 8.8.3.2) looks at what stands between the quotes. */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** Whether a resource with this `ETag` has not changed for a client that sent this `If-None-Match`: 304. */
export function noneMatchFails(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const current = opaque(etag);
  return (ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => opaque(tag) === current);
}
