import type { ListTotalOperations, ReplyOf } from '@mostrador/contracts/core';
import { testContext } from '@mostrador/testing/context';
import { expect, test } from 'vitest';
import { listTotalHandlers } from './handlers.ts';
import type { ListTotals, WrongTotal } from './totals.ts';

/** Totals of stores `a`, `b`, `c` …, and a log of what was done to them. */
function totalsOf(stores: readonly string[], wrong: Record<string, WrongTotal[]> = {}) {
  const done: string[] = [];
  const totals: Pick<ListTotals, 'rebuild' | 'verify' | 'listStores'> = {
    rebuild: async ({ storeId }) => void done.push(`rebuild ${storeId}`),
    verify: async ({ storeId }) => {
      done.push(`verify ${storeId}`);
      return wrong[storeId] ?? [];
    },
    listStores: async (_deadline, { after }) => ({
      stores: stores.filter((storeId) => after === null || storeId > after),
      left: 0,
    }),
  };
  return { done, handlers: listTotalHandlers(totals as ListTotals) };
}

const wrongOnes = (count: number): WrongTotal[] =>
  Array.from({ length: count }, (_, n) => ({ list: 'things', status: null, owner: null, is: n, should_be: 0 }));
const all = { store_id: null, after: null };

test('without a store, all stores with built totals are gone through, in the order of their ids', async () => {
  const { done, handlers } = totalsOf(['a', 'b']);
  expect(await handlers.rebuild(testContext(), { body: all })).toEqual({ stores: 2, left: 0, next: null });
  expect(done).toEqual(['rebuild a', 'rebuild b']);
});

test('with a store, only that one is, also when its totals are not built', async () => {
  const { done, handlers } = totalsOf(['a', 'b'], { x: wrongOnes(1) });
  expect(await handlers.verify(testContext(), { body: { store_id: 'x', after: null } })).toEqual({
    ...{ stores: 1, left: 0, next: null },
    wrong: [{ store_id: 'x', list: 'things', status: null, owner: null, is: 0, should_be: 0 }],
  });
  expect(done).toEqual(['verify x']);
});

test('a call ends when it has found much or half of its time is over, and the next one continues', async () => {
  const { handlers } = totalsOf(['a', 'b', 'c'], { a: wrongOnes(100), b: wrongOnes(1) });
  const answer = await handlers.verify(testContext(), { body: all });
  const { wrong, ...walked } = answer as ReplyOf<ListTotalOperations['verify']>;
  expect([wrong.length, walked]).toEqual([100, { stores: 1, left: 2, next: 'a' }]);
  const rest = await handlers.verify(testContext(), { body: { store_id: null, after: walked.next } });
  expect(rest).toMatchObject({ stores: 2, left: 0, next: null, wrong: [{ store_id: 'b' }] });
  const late = await handlers.rebuild(testContext({ timeoutMs: 0 }), { body: all });
  expect(late).toEqual({ stores: 1, left: 2, next: 'a' });
});
