import { AppError } from '@mostrador/kit/rpc/errors';
import { expect, test } from 'vitest';
import { exportText, persistently } from './export-text.ts';

const pageOf = (rows: readonly string[], nextCursor?: string) => ({
  body: Buffer.from(JSON.stringify({ data: rows })),
  headers: { nextCursor, replayed: false },
});
const writer = { contentType: 'text/plain', beginning: '', write: (rows: readonly unknown[]) => rows.join() };

/** An export of rows of this length, with the limits of the pages that it read. */
async function limitsFor(length: number): Promise<number[]> {
  const limits: number[] = [];
  const read = async ({ limit }: { limit: number }) => {
    limits.push(limit);
    const rows = Array.from({ length: limit }, () => 'x'.repeat(length));
    return pageOf(rows, limits.length < 3 ? 'next' : undefined);
  };
  const source = { first: await read({ limit: 50 }), read, checkAccess: async () => {}, mostRows: 200 };
  for await (const _ of exportText(source, writer));
  return limits.slice(1);
}

test.each([
  [10, 200],
  [20_000, 13],
  [60_000, 5],
])('the rows of a page decide how many the next one has: %j bytes, %j rows', async (length, rows) => {
  expect(await limitsFor(length)).toEqual([rows, rows]);
});

test('no more than one page is read ahead, and each is checked before the client gets it', async () => {
  let [reads, checks] = [0, 0];
  const source = {
    first: pageOf(['0'], '1'),
    read: async () => {
      reads += 1;
      return pageOf([String(reads)], '1');
    },
    checkAccess: async () => {
      checks += 1;
      if (checks > 2) throw new AppError('invalid_api_key');
    },
    mostRows: 200,
  };
  const got: string[] = [];
  const all = async () => {
    for await (const text of exportText(source, writer)) {
      got.push(text);
      expect([reads, checks]).toEqual([got.length, got.length - 1]);
    }
  };
  await expect(all()).rejects.toMatchObject({ code: 'invalid_api_key' });
  expect(got).toEqual(['0', '1', '2']);
});

const signal = new AbortController().signal;
const failingOnce = (error: Error) => {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === 1) throw error;
    return calls;
  };
};

test('what fails because a process is away is repeated until the limit, and nothing else is', async () => {
  const away = new AppError('service_unavailable');
  expect(await persistently(failingOnce(away), { limitMs: 600_000, signal })).toBe(2);
  await expect(persistently(failingOnce(away), { limitMs: 0, signal })).rejects.toBe(away);
  const others = [new AppError('internal_error'), new AppError('invalid_api_key'), new Error('a fault of ours')];
  for (const error of others)
    await expect(persistently(failingOnce(error), { limitMs: 600_000, signal })).rejects.toBe(error);
  await expect(persistently(failingOnce(away), { limitMs: 600_000, signal: AbortSignal.abort() })).rejects.toBe(away);
});
