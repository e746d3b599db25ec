import { Timestamp, Uuid } from '@mostrador/contracts/core';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { validationFailed } from '../rpc/errors.ts';
import { fingerprintOf } from '../rpc/fingerprint.ts';
import { type Reply, reply } from '../rpc/reply.ts';
import { toInstant, toTimestamp } from '../rpc/validate.ts';
import { compile } from '../schema/compile.ts';
import type { ReadOptions, Sql } from './database.ts';

/**
 * An opaque cursor: where a list continues. It is bound to the list's filters, so it cannot be used with others.
 * It is neither secret nor signed, so `decodeCursor` trusts nothing in it.
 */
export function encodeCursor(cursor: Record<string, unknown>, filters: unknown): string {
  return Buffer.from(JSON.stringify([filtersHash(filters), cursor])).toString('base64url');
}

/**
 * Returns what `encodeCursor` was given, checked against `schema`, because anyone can write a cursor.
 *
 * @throws AppError `validation_failed` on `cursor` when it is not a cursor of this list with these filters
 */
export function decodeCursor<S extends TSchema>(cursor: string, filters: unknown, schema: S): Static<S> {
  const [hash, content] = parse(cursor);
  if (typeof hash !== 'string') throw refused('is not a cursor of this list; start again without it');
  if (hash !== filtersHash(filters)) throw refused('belongs to a list with other filters; start again without it');
  if (compile(schema)(content).length > 0) throw refused('is not a cursor of this list; start again without it');
  return content as Static<S>;
}

/**
 * Reads the cursor of a list's query: what `encodeCursor` was given, or undefined without a cursor.
 *
 * @throws AppError `validation_failed` as `decodeCursor` does, and on `page` when both are given
 */
export function readCursor<S extends TSchema>(
  query: { readonly cursor?: string; readonly page?: number },
  filters: unknown,
  schema: S,
): Static<S> | undefined {
  if (query.cursor === undefined) return undefined;
  if (query.page !== undefined) {
    throw validationFailed([{ in: 'query', name: 'page', detail: 'cannot be combined with `cursor`; send only one' }]);
  }
  return decodeCursor(query.cursor, filters, schema);
}

/** Where a page begins: after the row at `after`, or `offset` rows after the first one. */
export type PageStart<After> = { readonly after: After } | { readonly offset: number };

/** The start of a page in a list that is ordered by a time and then by `id`. */
export type TimePageStart = PageStart<{ readonly at: Date; readonly id: string }>;

type Page<Shown> = { data: Shown[]; total: number; page: number; limit: number };
type Reached<Position> = { at: Position; page: number; total: number };
type PageQuery = { readonly cursor?: string; readonly page?: number; readonly limit?: number };

/** What a list reads for one query. */
type ListSource<Row, After, Shown> = {
  /** The filters, as JSON. A cursor is bound to them. */
  readonly filters: unknown;
  readonly list: (sql: Sql, page: { start: PageStart<After>; limit: number }) => PromiseLike<readonly Row[]>;
  /** Called only when no earlier page has counted. */
  readonly count: (sql: Sql) => Promise<number>;
  readonly show: (row: Row) => Shown;
  /** How PostgreSQL plans the page and the count. */
  readonly planning?: ReadOptions;
};

/**
 * A list that is read by `page` or `cursor`, and `limit`. A cursor holds the place of its page's last row in the list's
 * order (`position`), the page number and the total.
 *
 * The returned function throws `validation_failed` as `readCursor` does.
 */
export function pagesOf<Placed, Position extends TSchema, After>(list: {
  readonly defaultLimit: number;
  readonly position: Position;
  readonly positionOf: (row: Placed) => Static<Position>;
  /** The position in the form that the repository accepts. */
  readonly toAfter: (position: Static<Position>) => After;
}) {
  const Cursor = Type.Object({
    at: list.position,
    page: Type.Integer({ minimum: 1 }),
    total: Type.Integer({ minimum: 0 }),
  });
  return async <Scope, Row extends Placed, Shown>(
    database: { read<T>(scope: Scope, query: (sql: Sql) => PromiseLike<T>, options?: ReadOptions): Promise<T> },
    scope: Scope,
    query: PageQuery,
    source: ListSource<Row, After, Shown>,
  ): Promise<Reply<Page<Shown>>> => {
    const limit = query.limit ?? list.defaultLimit;
    const before = readCursor(query, source.filters, Cursor) as Reached<Static<Position>> | undefined;
    const page = before ? before.page + 1 : (query.page ?? 1);
    const start = before ? { after: list.toAfter(before.at) } : { offset: (page - 1) * limit };
    // One extra row shows whether there is a next page.
    const [rows, total] = await database.read(
      scope,
      (sql) => Promise.all([source.list(sql, { start, limit: limit + 1 }), before?.total ?? source.count(sql)]),
      source.planning,
    );
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return reply(
      { data: shown.map((row) => source.show(row)), total, page, limit },
      last ? { nextCursor: encodeCursor({ at: list.positionOf(last), page, total }, source.filters) } : {},
    );
  };
}

/** For `pagesOf`: a list that is ordered by the time in `column` and then by `id`. */
export function byTime<Column extends string>(column: Column) {
  type Position = Readonly<Record<Column | 'id', string>>;
  return {
    position: Type.Unsafe<Position>(Type.Object({ [column]: Timestamp, id: Uuid })),
    positionOf: (row: Readonly<Record<Column, Date> & { id: string }>) =>
      ({ [column]: toTimestamp(row[column]), id: row.id }) as Position,
    toAfter: (position: Position) => ({ at: toInstant(position[column]), id: position.id }),
  };
}

function parse(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/** Short, because it guards against mistakes, not against attackers. */
const filtersHash = (filters: unknown): string => fingerprintOf(filters).slice(0, 12);

const refused = (detail: string) => validationFailed([{ in: 'query', name: 'cursor', detail }]);
