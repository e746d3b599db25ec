import type { Operation, ReplyOf } from '@mostrador/contracts/core';
import type { Database, TransactionSql } from '../database/database.ts';
import { isTooLate, unavailable } from '../database/failures.ts';
import type { Relay } from '../outbox/relay.ts';
import { type Origin, originOf } from '../rpc/actor.ts';
import type { Idempotency, StoreContext } from '../rpc/context.ts';
import { AppError } from '../rpc/errors.ts';
import { endOfTick } from '../rpc/event-loop.ts';
import { type Reply, replay, replyBytes, serializeReply } from '../rpc/reply.ts';
import { type IdempotencyRecord, keepRecords, type Taken, takeKeys } from './idempotency.repository.ts';
import { ofSameRequest, StartAgain, underKey, untilNotBusy } from './idempotency.ts';

export type GroupWork<O extends Operation, Item, Row> = {
  readonly operation: O;
  /**
   * Writes the items of some requests of a store, and returns a row for each, in order. For an item that it refuses it
   * writes nothing and returns the error: only that request fails. Each item has an origin: what caused its request. It may
   * run again from the start, also with other items, so it must have no effect outside of this
   * transaction.
   */
  readonly work: (
    sql: TransactionSql,
    storeId: string,
    items: readonly Item[],
    origins: readonly Origin[],
  ) => Promise<readonly (Row | AppError)[]>;
  readonly toReply: (row: Row) => ReplyOf<O>;
  readonly etag: (row: Row) => string;
};

type Entry<Item, Outcome> = {
  readonly context: StoreContext;
  readonly item: Item;
  readonly outcome: PromiseWithResolvers<Outcome>;
};

/** One transaction takes at most as many requests as a store may have in the request queue. */
const mostTogether = 32;

/**
 * Creates an operation whose requests share transactions: those of a store that arrive while an earlier transaction runs
 * are written by the next one. Each request still gets its own answer after the commit, and one effect for an idempotency
 * key, as `withIdempotency` has it. When a transaction fails because of an item, its requests run alone, one after the
 * other, so that a store never has more than one transaction.
 *
 * The returned function throws as `withIdempotency` does.
 */
export function createGroupCommit<O extends Operation, Item, Row>(
  { database, relay }: { readonly database: Database; readonly relay: Pick<Relay, 'nudge'> },
  group: GroupWork<O, Item, Row>,
): (context: StoreContext, item: Item) => Promise<Reply<ReplyOf<O>>> {
  type Request = Entry<Item, Reply<ReplyOf<O>>>;
  /** By store: the requests that wait for its next transaction. A store that is here has a transaction. */
  const queues = new Map<string, Request[]>();

  async function drain(storeId: string, queue: Request[]): Promise<void> {
    await endOfTick();
    while (queue.length > 0) await run(storeId, queue.splice(0, mostTogether));
    queues.delete(storeId);
  }

  /** Settles all requests. Never throws. */
  async function run(storeId: string, asked: readonly Request[]): Promise<void> {
    const requests = inTime(asked, Date.now(), unavailable());
    if (requests.length === 0) return;
    const deadlines = requests.map(({ context }) => context.deadline);
    const [commitBefore, deadline] = [Math.min(...deadlines), Math.max(...deadlines)];
    try {
      // The transaction belongs to the trace of one of its requests. What each request causes belongs to its own.
      const traceparent = requests.find(({ context }) => context.traceparent)?.context.traceparent ?? null;
      const { done, refused, others, found } = await database.write(
        { storeId, deadline, commitBefore, traceparent },
        (sql) => writeAll(sql, storeId, requests),
      );
      relay.nudge();
      for (const { request, bytes, etag } of done) request.outcome.resolve(replyBytes(bytes, { etag }));
      for (const { request, error } of refused) request.outcome.reject(error);
      for (const { context, outcome } of others) outcome.resolve(replayOf(context.idempotency, found));
    } catch (error) {
      // Nothing was written, so the others begin again without those whose deadline has passed.
      if (isTooLate(error)) return await run(storeId, inTime(requests, commitBefore, error));
      if (requests.length === 1 || isOfDatabase(error)) {
        for (const { outcome } of requests) outcome.reject(error);
        return;
      }
      for (const one of requests) await run(storeId, [one]);
    }
  }

  /** The requests whose deadline comes after the moment. The others get the error. */
  function inTime(requests: readonly Request[], moment: number, error: unknown): Request[] {
    const isIn = ({ context: { deadline } }: Request) => deadline > moment;
    for (const request of requests) if (!isIn(request)) request.outcome.reject(error);
    return requests.filter(isIn);
  }

  /** Writes the requests whose key is free, or that have none. The others found a record, or another request. */
  async function writeAll(sql: TransactionSql, storeId: string, requests: readonly Request[]) {
    const found = await takeKeys(sql, storeId, firstOfEachKey(requests));
    const isFree = ({ context: { idempotency: key } }: Request) => !key || found.get(key) === 'free';
    const mine = requests.filter(isFree);
    const items = mine.map(({ item }) => item);
    const origins = mine.map(({ context }) => originOf(context));
    const rows = items.length === 0 ? [] : await group.work(sql, storeId, items, origins);
    const outcomes = mine.map((request, index) => ({ request, row: rows[index] as Row | AppError }));
    const refused = outcomes.flatMap(({ request, row }) => (row instanceof AppError ? [{ request, error: row }] : []));
    const done = outcomes.flatMap(({ request, row }) => {
      if (row instanceof AppError) return [];
      return [{ request, bytes: serializeReply(group.operation, group.toReply(row)), etag: group.etag(row) }];
    });
    const kept = done.flatMap(({ request: { context }, bytes, etag }) =>
      context.idempotency ? [{ idempotency: context.idempotency, reply: bytes.toString('utf8'), etag }] : [],
    );
    if ((await keepRecords(sql, storeId, kept)) < kept.length) throw new StartAgain();
    return { done, refused, others: requests.filter((request) => !isFree(request)), found };
  }

  function join(context: StoreContext, item: Item): Promise<Reply<ReplyOf<O>>> {
    const request: Request = { context, item, outcome: Promise.withResolvers() };
    const queue = queues.get(context.storeId);
    if (queue) queue.push(request);
    else {
      const begun = [request];
      queues.set(context.storeId, begun);
      void drain(context.storeId, begun);
    }
    return request.outcome.promise;
  }

  return async (context, item) => {
    const { idempotency } = context;
    if (!idempotency?.settles) return await untilNotBusy(context, () => join(context, item));
    return await underKey(
      { database, context, idempotency },
      { again: storedAnswer, first: () => join(context, item) },
    );
  };
}

/** The stored answer of a request. Throws `StartAgain` while another request with its key runs. */
async function replayOf(key: Idempotency | undefined, found: ReadonlyMap<Idempotency, Taken>): Promise<Reply<never>> {
  const taken = key && found.get(key);
  if (!key || typeof taken !== 'object') throw new StartAgain();
  return storedAnswer(ofSameRequest(key, taken));
}

const storedAnswer = ({ reply, etag }: IdempotencyRecord): Reply<never> =>
  replay(reply as Buffer, { etag: etag ?? undefined });

/** Two requests with one key would both get its lock, because they share a transaction. The later one waits. */
function firstOfEachKey(requests: readonly Pick<Entry<unknown, unknown>, 'context'>[]): Idempotency[] {
  const keys = requests.flatMap(({ context }) => context.idempotency ?? []);
  return [...Map.groupBy(keys, ({ scope, key }) => `${scope} ${key}`).values()].flatMap(([first]) => first ?? []);
}

/** The database was not reached, or did not answer in time: no request would do better alone. */
const isOfDatabase = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'service_unavailable' || error.code === 'upstream_timeout');
