import type { Context } from '../rpc/context.ts';
import { AppError } from '../rpc/errors.ts';

/** The strong ETag of a version (RFC 9110): `"v3"`. */
export function etagOf(version: number): string {
  return `"v${version}"`;
}

/**
 * Checks the request's `If-Match`, if it has one. `*` names every version. A weak tag names none, because the
 * comparison is strong (RFC 9110, 13.1.1).
 *
 * @throws AppError `version_mismatch` when `If-Match` does not name this version
 */
export function assertIfMatch(context: Pick<Context, 'ifMatch'>, version: number): void {
  const { ifMatch } = context;
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(etagOf(version))) throw new AppError('version_mismatch');
}
