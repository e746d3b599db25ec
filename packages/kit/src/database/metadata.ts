import { maxMetadata } from '@mostrador/contracts/core';
import { validationFailed } from '../rpc/errors.ts';

/** The data of the store's own systems about a row. */
export type Metadata = Readonly<Record<string, string>>;

/** Whether a row may have this metadata. `maxBytes`: of its JSON. */
export const fitsMetadata = (metadata: Metadata, maxBytes: number): boolean =>
  Object.keys(metadata).length <= maxMetadata && Buffer.byteLength(JSON.stringify(metadata)) <= maxBytes;

/**
 * Sets the given members and keeps the others. Null and an empty text remove a member, and null instead of a change
 * removes all. Without a change it returns `before`.
 *
 * @throws AppError `validation_failed` on `#/metadata` when the members together are more than a row may have
 */
export function changeMetadata(
  before: Metadata,
  change: Readonly<Record<string, string | null>> | null | undefined,
  maxBytes: number,
): Metadata {
  if (change === undefined) return before;
  if (change === null) return {};
  const changed = Object.entries({ ...before, ...change }).flatMap(([name, text]) => (text ? [[name, text]] : []));
  const metadata: Metadata = Object.fromEntries(changed);
  if (fitsMetadata(metadata, maxBytes)) return metadata;
  const detail = `must leave at most ${maxMetadata} members, and ${maxBytes} bytes as JSON`;
  throw validationFailed([{ pointer: '#/metadata', detail }]);
}
