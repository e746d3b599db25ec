import { withoutAddedCoding } from '@mostrador/kit/database/etag';
import { type ContentCoding, contentCodings } from './content-coding.ts';

/**
 * The ETag of a compressed representation, because strong tags of different bytes differ (RFC 9110, 8.8.3.3). Services
 * take it in `If-Match` like the tag of the plain one: `"v3"` becomes `"v3.gzip"`, and `"v3.12"` becomes `"v3.12gzip"`.
 */
export const codedTag = (etag: string, coding: ContentCoding): string =>
  etag.replace(/"$/, `${etag.includes('.') ? '' : '.'}${coding}"`);

/**
 * The tag in this `If-None-Match` that names the current state, in any coding. The comparison is weak (RFC 9110,
 * 13.1.2). It ignores a coding that a proxy has added to the tag, and the proxy adds it to the answer again. Undefined: the
 * client's copy is old.
 */
export function currentTag(ifNoneMatch: string, etag: string): string | undefined {
  if (ifNoneMatch.trim() === '*') return etag;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  const ours = [etag, ...contentCodings.map((coding) => codedTag(etag, coding))];
  return ours.find((tag) => tags.includes(tag)) ?? ours.find((tag) => tags.map(withoutAddedCoding).includes(tag));
}
