import type { Context } from '../rpc/context.ts';
import { AppError } from '../rpc/errors.ts';

/**
 * The strong ETag of a version (RFC 9110): `"v3"`. `shown`, letters and digits, stands for what else the representation
 * shows and API users do not change: `"v3.12"`.
 */
export function etagOf(version: number, shown?: string): string {
  return shown === undefined ? `"v${version}"` : `"v${version}.${shown}"`;
}

/** The error of an `If-Match` that does not name the current version, or of one without a resource. */
export const versionMismatch = (): AppError =>
  new AppError('version_mismatch', {
    detail: '`If-Match` does not name the current version. Read the resource again and use its new ETag.',
  });

/** A coding and how a proxy that compresses adds it: `-gzip` (Apache, Caddy), `--gzip` (Jetty), `;gz` (LiteSpeed). */
const addedCoding = /(?:--?|[;:+])(?:x-)?(?:gzip|gz|deflate|compress|br|brotli|zstd|dcb|dcz)(?="$)/i;

/** The tag without what a proxy that compresses has added to it. A weak tag stays weak. */
export const withoutAddedCoding = (tag: string): string => tag.replace(addedCoding, '');

/**
 * Checks the request's `If-Match`, if it has one: `*`, or tags with commas between them. It compares only the version, so
 * that a change of something else rejects no request. A tag may be weak or have a coding at its end, although RFC 9110
 * (13.1.1) wants a strong comparison: a proxy that compresses changes our tags so, and the version in them stays exact.
 *
 * @throws AppError `version_mismatch` when `If-Match` does not name this version
 */
export function assertIfMatch(context: Pick<Context, 'ifMatch'>, version: number): void {
  const { ifMatch } = context;
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const versions = ifMatch
    .split(',')
    .map((tag) => /^(?:W\/)?"v(\d+)(?:\.\w+)?"$/.exec(withoutAddedCoding(tag.trim()))?.[1]);
  if (!versions.includes(String(version))) throw versionMismatch();
}
