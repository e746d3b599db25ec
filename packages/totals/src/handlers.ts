import type { ListTotalOperations } from '@mostrador/contracts/core';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { ListTotals, WrongTotal } from './totals.ts';

/** The handlers of a service's list operations. They are the same in every service. */
export type ListTotalHandlers = {
  readonly verify: Handler<ListTotalOperations['verify']>;
  readonly rebuild: Handler<ListTotalOperations['rebuild']>;
};

type Stores = { readonly store_id: string | null; readonly after: string | null };
type Walked = { readonly stores: number; readonly left: number; readonly next: string | null };

/** A call ends after the store in which it reaches one of these. */
const mostWorkMs = 5000;
const mostWrong = 100;
const mostStores = 1000;

export function listTotalHandlers(listTotals: ListTotals): ListTotalHandlers {
  return {
    verify: async ({ deadline }, { body }) => {
      const wrong: (WrongTotal & { store_id: string })[] = [];
      const walked = await walk(listTotals, body, deadline, async (storeId) => {
        const found = await listTotals.verify({ storeId, deadline });
        wrong.push(...found.map((one) => ({ store_id: storeId, ...one })));
        return wrong.length < mostWrong;
      });
      return { ...walked, wrong };
    },
    rebuild: ({ deadline, log }, { body }) =>
      walk(listTotals, body, deadline, async (storeId) => {
        await listTotals.rebuild({ storeId, deadline });
        log.info({ store_id: storeId }, 'the totals of lists were counted again');
        return true;
      }),
  };
}

/** Goes through stores until `work` returns false or half of the time is over. */
async function walk(
  listTotals: ListTotals,
  { store_id, after }: Stores,
  deadline: number,
  work: (storeId: string) => Promise<boolean>,
): Promise<Walked> {
  if (store_id !== null) {
    await work(store_id);
    return { stores: 1, left: 0, next: null };
  }
  const endsAt = Date.now() + Math.min(mostWorkMs, (deadline - Date.now()) / 2);
  const { stores, left } = await listTotals.listStores(deadline, { after, limit: mostStores });
  let done = 0;
  for (const storeId of stores) {
    done += 1;
    if (!(await work(storeId)) || Date.now() >= endsAt) break;
  }
  const rest = stores.length - done + left;
  return { stores: done, left: rest, next: rest > 0 ? (stores[done - 1] ?? null) : null };
}
