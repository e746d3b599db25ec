import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../rpc/errors.ts';
import type { Sql } from './database.ts';
import { decodeCursor, encodeCursor, pagesOf, readCursor } from './paging.ts';

const Position = Type.Object({ after: Type.String({ format: 'date-time' }), total: Type.Integer() });
const position = { after: '2027-01-31T09:00:00.000Z', total: 7 };

function refusal(cursor: string, filters: unknown = {}): string {
  try {
    decodeCursor(cursor, filters, Position);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const [fault] = ((error as AppError).members?.errors ?? []) as { in: string; name: string; detail: string }[];
    expect(fault).toMatchObject({ in: 'query', name: 'cursor' });
    return fault?.detail ?? '';
  }
  throw new Error('accepted');
}

describe('a cursor', () => {
  test('decodes to what was encoded, whatever the order of the filters', () => {
    const cursor = encodeCursor(position, { status: 'done', lead_id: undefined, limit: 5 });
    expect(decodeCursor(cursor, { limit: 5, status: 'done' }, Position)).toEqual(position);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test('of other filters is rejected', () => {
    expect(refusal(encodeCursor(position, { status: 'done' }), { status: 'cancelled' })).toContain('other filters');
  });

  test('that a client wrote is rejected unless it matches the schema', () => {
    expect(refusal(encodeCursor({ after: "'; drop table", total: 7 }, {}))).toContain('not a cursor');
    expect(refusal(encodeCursor({ total: 7 }, {}))).toContain('not a cursor');
  });

  test('that is any other text is rejected with a fault, without another error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(refusal(text)).toContain('not a cursor');
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(refusal(Buffer.from(JSON.stringify(value)).toString('base64url'))).toMatch(/cursor|filters/);
      }),
    );
  });
});

describe('a query', () => {
  const cursor = encodeCursor(position, {});

  test('starts at its cursor, or at its page without one', () => {
    expect(readCursor({ cursor }, {}, Position)).toEqual(position);
    expect(readCursor({ page: 3 }, {}, Position)).toBeUndefined();
    expect(readCursor({}, {}, Position)).toBeUndefined();
  });

  test('with a cursor and a page is rejected', () => {
    expect(() => readCursor({ cursor, page: 1 }, {}, Position)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        members: { errors: [{ in: 'query', name: 'page', detail: expect.any(String) }] },
      }),
    );
  });
});

describe('the pages of a list', () => {
  const all = Array.from({ length: 7 }, (_, index) => ({ number: index + 1 }));
  const readPage = pagesOf({
    defaultLimit: 3,
    position: Type.Object({ number: Type.Integer() }),
    positionOf: ({ number }: { number: number }) => ({ number }),
    toAfter: ({ number }) => number,
  });
  let counts = 0;
  beforeEach(() => {
    counts = 0;
  });
  const database = { read: async <T>(_: unknown, query: (sql: Sql) => PromiseLike<T>) => query({} as Sql) };
  const read = (query: { cursor?: string; page?: number; limit?: number }) =>
    readPage(database, undefined, query, {
      filters: {},
      list: async (_, { start, limit }) => {
        const from = 'after' in start ? start.after : start.offset;
        return all.slice(from, from + limit);
      },
      count: async () => {
        counts += 1;
        return all.length;
      },
      show: ({ number }) => number,
    });

  test('a walk by cursor returns every row once, counts once, and keeps the page number and the total', async () => {
    const seen: number[][] = [];
    for (let query: { cursor?: string } | undefined = {}; query; ) {
      const { body, headers } = await read(query);
      seen.push(body?.data ?? []);
      expect(body).toMatchObject({ total: 7, page: seen.length, limit: 3 });
      query = headers.nextCursor === undefined ? undefined : { cursor: headers.nextCursor };
    }
    expect(seen).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(counts).toBe(1);
  });

  test('a page by number starts where the previous page ends', async () => {
    expect((await read({ page: 2, limit: 2 })).body).toEqual({ data: [3, 4], total: 7, page: 2, limit: 2 });
  });

  test('the last page has no next cursor, even when it is full', async () => {
    expect((await read({ limit: 7 })).headers.nextCursor).toBeUndefined();
    expect((await read({ page: 9 })).body?.data).toEqual([]);
  });
});
