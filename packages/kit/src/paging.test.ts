import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from './errors.ts';
import { decodeCursor, encodeCursor, readCursor } from './paging.ts';

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
  test('comes back as it went in, whatever the order of the filters', () => {
    const cursor = encodeCursor(position, { status: 'done', lead_id: undefined, limit: 5 });
    expect(decodeCursor(cursor, { limit: 5, status: 'done' }, Position)).toEqual(position);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test('of other filters is refused', () => {
    expect(refusal(encodeCursor(position, { status: 'done' }), { status: 'cancelled' })).toContain('other filters');
  });

  test('that someone wrote themselves is refused unless it holds what ours hold', () => {
    expect(refusal(encodeCursor({ after: "'; drop table", total: 7 }, {}))).toContain('not a cursor');
    expect(refusal(encodeCursor({ total: 7 }, {}))).toContain('not a cursor');
  });

  test('that is anything else is refused, and nothing worse', () => {
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

  test('begins where its cursor says, or at its page', () => {
    expect(readCursor({ cursor }, {}, Position)).toEqual(position);
    expect(readCursor({ page: 3 }, {}, Position)).toBeUndefined();
    expect(readCursor({}, {}, Position)).toBeUndefined();
  });

  test('has a cursor or a page, not both', () => {
    expect(() => readCursor({ cursor, page: 1 }, {}, Position)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        members: { errors: [{ in: 'query', name: 'page', detail: expect.any(String) }] },
      }),
    );
  });
});
