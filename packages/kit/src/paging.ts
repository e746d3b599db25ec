import type { Static, TSchema } from '@sinclair/typebox';
import { validationFailed } from './errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import { compile } from './validate.ts';

/**
 * An opaque cursor: where a list goes on. It is bound to the list's filters, so that it cannot be used with others.
 * It is not secret and not signed: `decodeCursor` trusts nothing of it.
 */
export function encodeCursor(cursor: Record<string, unknown>, filters: unknown): string {
  return Buffer.from(JSON.stringify([filtersHash(filters), cursor])).toString('base64url');
}

/**
 * What `encodeCursor` was given, checked against `schema`: anyone can write a cursor.
 * Throws `validation_failed` on `cursor` for whatever is not a cursor of this list with these filters.
 */
export function decodeCursor<S extends TSchema>(cursor: string, filters: unknown, schema: S): Static<S> {
  const [hash, content] = parse(cursor);
  if (typeof hash !== 'string') throw refused('is not a cursor of this list');
  if (hash !== filtersHash(filters)) throw refused('belongs to a list with other filters');
  if (compile(schema)(content).length > 0) throw refused('is not a cursor of this list');
  return content as Static<S>;
}

/**
 * Where the page that a list's query asks for begins: what `encodeCursor` was given, or undefined without a cursor.
 * Throws `validation_failed` as `decodeCursor` does, and on `page` when both are given.
 */
export function readCursor<S extends TSchema>(
  query: { readonly cursor?: string; readonly page?: number },
  filters: unknown,
  schema: S,
): Static<S> | undefined {
  if (query.cursor === undefined) return undefined;
  if (query.page !== undefined) {
    throw validationFailed([{ in: 'query', name: 'page', detail: 'cannot stand together with `cursor`' }]);
  }
  return decodeCursor(query.cursor, filters, schema);
}

function parse(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/** Short: it guards against a mix-up, not against an attacker. */
const filtersHash = (filters: unknown): string => fingerprintOf(filters).slice(0, 12);

const refused = (detail: string) => validationFailed([{ in: 'query', name: 'cursor', detail }]);
