import { endOfTick } from '../rpc/event-loop.ts';
import type { Client, Sql } from './client.ts';
import type { Pool } from './pool.ts';

/** One statement that runs when it is awaited. */
export type Statement<Rows extends readonly unknown[]> = { execute(): PromiseLike<Rows> };

/** Makes the rows of the scope's store visible, unless the client shows them already. Resolves when they are. */
export type ShowStore<Scope> = (client: Client, scope: Scope) => PromiseLike<unknown> | undefined;

type Scope = { readonly storeId?: string; readonly deadline: number };
type LookUp<S> = {
  readonly scope: S;
  readonly statement: (sql: Sql) => { execute(): PromiseLike<unknown> };
  readonly found: PromiseWithResolvers<unknown>;
};

/** More statements on one connection would wait for one another, where another connection is free. */
const mostTogether = 16;

/**
 * Runs the look-ups of one tick of the event loop on one connection, one after the other. A connection of its own for
 * each costs a write and a read of a socket, in both processes, and that is more than all other work of a look-up.
 */
export function createLookUps<S extends Scope>(pool: Pool, showStore: ShowStore<S>) {
  let waiting: LookUp<S>[] = [];

  async function runAtEndOfTick(): Promise<void> {
    await endOfTick();
    const lookUps = waiting.toSorted((a, b) => compare(a.scope.storeId ?? '', b.scope.storeId ?? ''));
    waiting = [];
    for (let first = 0; first < lookUps.length; first += mostTogether) {
      void runTogether(lookUps.slice(first, first + mostTogether));
    }
  }

  async function runTogether(lookUps: readonly LookUp<S>[]): Promise<void> {
    const deadline = Math.max(...lookUps.map(({ scope }) => scope.deadline));
    try {
      await pool.use(deadline, (client) => runAll(client, lookUps), { store: lookUps[0]?.scope.storeId });
    } catch (error) {
      // It came after some of the look-ups had their rows. They keep them.
      for (const { found } of lookUps) found.reject(error);
    }
  }

  /** Rejects with the first failure, so that the pool learns of a lost connection. */
  async function runAll(client: Client, lookUps: readonly LookUp<S>[]): Promise<void> {
    let shown: PromiseLike<unknown> | undefined;
    const outcomes = lookUps.map(async ({ scope, statement, found }) => {
      shown = showStore(client, scope) ?? shown;
      try {
        const [, rows] = await Promise.all([shown, statement(client.sql).execute()]);
        found.resolve(rows);
      } catch (error) {
        found.reject(error);
        throw error;
      }
    });
    const failure = (await Promise.allSettled(outcomes)).find(({ status }) => status === 'rejected');
    if (failure?.status === 'rejected') throw failure.reason;
  }

  return <Rows extends readonly unknown[]>(scope: S, statement: (sql: Sql) => Statement<Rows>): Promise<Rows> => {
    const found = Promise.withResolvers<unknown>();
    if (waiting.length === 0) void runAtEndOfTick();
    waiting.push({ scope, statement, found });
    return found.promise as Promise<Rows>;
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
