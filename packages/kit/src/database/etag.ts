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

/**
 * Checks the request's `If-Match`, if it has one. It compares only the version, so that a change of something else
 * rejects no request. `*` names every version. A weak tag names none, because the comparison is strong (RFC 9110,
 * 13.1.1).
 *
 * @throws AppError `version_mismatch` when `If-Match` does not name this version
 */
export function assertIfMatch(context: Pick<Context, 'ifMatch'>, version: number): void {
  const { ifMatch } = context;
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const versions = ifMatch.split(',').map((tag) => /^"v(\d+)(\.\w+)?"$/.exec(tag.trim())?.[1]);
  if (!versions.includes(String(version))) throw versionMismatch();
}
