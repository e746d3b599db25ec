import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Later, later, type Reply } from '@mostrador/kit/rpc/server';
import { NoTimeLeft } from './ask-again.ts';

/** With less time left, what follows is for the next request. */
const leastMs = 4_000;
/** In one process: each of them waits for a model. */
const mostAtOnce = 20;

/** Lets few requests wait for models at once. */
export function fewAtOnce() {
  let running = 0;
  return <T>(work: () => Promise<Reply<T>>): Later<T> => {
    if (running >= mostAtOnce) throw new AppError('service_unavailable', { retryAfterSeconds: 5 });
    running += 1;
    return later(async () => {
      try {
        return await work();
      } finally {
        running -= 1;
      }
    });
  };
}

/** The errors that end a request after the first answer. */
const endings: ReadonlySet<string> = new Set(['ai_budget_reached', 'upstream_timeout']);

/**
 * Asks about one after the other, until the time of the request or the budget ends. Returns the last one that was asked
 * about: what was asked before is worth more than the error.
 *
 * @throws AppError when already the first one fails
 */
export async function askInTime<T>(
  all: readonly T[],
  { closing, deadline }: Pick<StoreContext, 'closing' | 'deadline'>,
  ask: (one: T) => Promise<void>,
): Promise<T | undefined> {
  let last: T | undefined;
  for (const one of all) {
    if (last && (closing.aborted || deadline - Date.now() < leastMs)) return last;
    try {
      await ask(one);
      last = one;
    } catch (error) {
      const ends = error instanceof NoTimeLeft || (error instanceof AppError && endings.has(error.code));
      if (!ends || !last) throw error instanceof NoTimeLeft ? new AppError('upstream_timeout') : error;
      return last;
    }
  }
  return last;
}
