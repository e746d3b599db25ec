import type { Context } from '../rpc/context.ts';
import { AppError } from '../rpc/errors.ts';

/** The strong ETag of a version (RFC 9110): `"v3"`. */
export function etagOf(version: number): string {
  return `"v${version}"`;
}

/**
 * Throws `version_mismatch` when the request carries an `If-Match` that does not name this version. `*` names every
 * version; a weak tag names none, for the comparison is strong (RFC 9110, 13.1.1).
 */
export function assertIfMatch(context: Pick<Context, 'ifMatch'>, version: number): void {
  const { ifMatch } = context;
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(etagOf(version))) throw new AppError('version_mismatch');
}
