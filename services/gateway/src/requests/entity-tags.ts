/** An entity tag without the prefix `W/`, which weak comparison (RFC 9110, 8.8.3.2) ignores. */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** Whether this `If-None-Match` names the current `ETag`, so that the response is 304. */
export function noneMatchFails(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const current = opaque(etag);
  return (ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => opaque(tag) === current);
}
