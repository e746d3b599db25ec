import type { Operation, ReplyOf } from '@mostrador/contracts/core';
import type { Database, TransactionSql } from '../database/database.ts';
import type { Idempotency, StoreContext } from '../rpc/context.ts';
import { AppError } from '../rpc/errors.ts';
import { endOfTick } from '../rpc/event-loop.ts';
import { type Reply, replay, replyBytes, serializeReply } from '../rpc/reply.ts';
import { type IdempotencyRecord, keepRecords, takeKeys } from './idempotency.repository.ts';
import { ofSameRequest, StartAgain, untilNotBusy } from './idempotency.ts';
import type { Relay } from './relay.ts';

export type GroupWork<O extends Operation, Item, Row> = {
  readonly operation: O;
  /**
   * Writes the items of some requests of a store, and returns a row for each, in order. It may run again from the start,
   * also with other items, so it must have no effect outside of this transaction.
   */
  readonly work: (sql: TransactionSql, storeId: string, items: readonly Item[]) => Promise<readonly Row[]>;
  readonly toReply: (row: Row) => ReplyOf<O>;
  readonly etag: (row: Row) => string;
};

type Outcome = { readonly bytes: Uint8Array; readonly etag: string } | { readonly record: IdempotencyRecord };
type Entry<Item> = {
  readonly context: StoreContext;
  readonly item: Item;
  readonly outcome: PromiseWithResolvers<Outcome>;
};

/** One transaction takes at most as many requests as a store may have in the request queue. */
const mostTogether = 32;

/**
 * Creates an operation whose requests share transactions: those of a store that arrive while an earlier transaction runs
 * are written by the next one. Each request still gets its own answer after the commit, and one effect for an idempotency
 * key, as `withIdempotency` has it. When a transaction fails because of an item, each of its requests runs alone.
 *
 * The returned function throws as `withIdempotency` does.
 */
export function createGroupCommit<O extends Operation, Item, Row>(
  { database, relay }: { readonly database: Database; readonly relay: Pick<Relay, 'nudge'> },
  group: GroupWork<O, Item, Row>,
): (context: StoreContext, item: Item) => Promise<Reply<ReplyOf<O>>> {
  /** By store: the requests that wait for its next transaction. A store that is here has a transaction. */
  const lines = new Map<string, Entry<Item>[]>();

  async function drain(storeId: string, line: Entry<Item>[]): Promise<void> {
    await endOfTick();
    while (line.length > 0) await run(storeId, line.splice(0, mostTogether));
    lines.delete(storeId);
  }

  /** Settles the outcomes of all entries. Never throws. */
  async function run(storeId: string, entries: readonly Entry<Item>[]): Promise<void> {
    try {
      // An entry whose time ends meanwhile is written all the same, and its caller does not learn of it.
      const deadline = Math.max(...entries.map(({ context }) => context.deadline));
      const outcomes = await database.write({ storeId, deadline }, (sql) => writeAll(sql, storeId, entries));
      relay.nudge();
      for (const [index, { outcome }] of entries.entries()) {
        const own = outcomes[index];
        if (own) outcome.resolve(own);
        else outcome.reject(new StartAgain());
      }
    } catch (error) {
      if (entries.length > 1 && !isOfDatabase(error)) await Promise.all(entries.map((entry) => run(storeId, [entry])));
      else for (const { outcome } of entries) outcome.reject(error);
    }
  }

  /** The outcome of each entry; none while another request with its key runs. */
  async function writeAll(
    sql: TransactionSql,
    storeId: string,
    entries: readonly Entry<Item>[],
  ): Promise<(Outcome | undefined)[]> {
    const keyed = firstOfEachKey(entries);
    const taken = await takeKeys(sql, storeId, [...keyed.values()]);
    const found = new Map([...keyed.keys()].map((entry, index) => [entry, taken[index]]));
    const mine = entries.filter((entry) => !entry.context.idempotency || found.get(entry) === 'free');
    const rows =
      mine.length === 0
        ? []
        : await group.work(
            sql,
            storeId,
            mine.map(({ item }) => item),
          );
    const done = new Map(mine.map((entry, index) => [entry, answerOf(rows[index] as Row)]));
    const kept = mine.flatMap((entry) => {
      const { idempotency } = entry.context;
      const { bytes, etag } = done.get(entry) as { bytes: Buffer; etag: string };
      return idempotency ? [{ idempotency, reply: bytes.toString('utf8'), etag }] : [];
    });
    if ((await keepRecords(sql, storeId, kept)) < kept.length) throw new StartAgain();
    return entries.map((entry) => {
      const state = found.get(entry);
      return done.get(entry) ?? (typeof state === 'object' ? { record: state } : undefined);
    });
  }

  const answerOf = (row: Row) => ({
    bytes: serializeReply(group.operation, group.toReply(row)),
    etag: group.etag(row),
  });

  function join(context: StoreContext, item: Item): Promise<Outcome> {
    const entry = { context, item, outcome: Promise.withResolvers<Outcome>() };
    const line = lines.get(context.storeId);
    if (line) line.push(entry);
    else {
      const begun = [entry];
      lines.set(context.storeId, begun);
      void drain(context.storeId, begun);
    }
    return entry.outcome.promise;
  }

  return (context, item) =>
    untilNotBusy(context, async () => {
      const outcome = await join(context, item);
      if (!('record' in outcome)) return replyBytes(outcome.bytes, { etag: outcome.etag });
      const { reply, etag } = ofSameRequest(context.idempotency as Idempotency, outcome.record);
      return replay(reply as Buffer, { etag: etag ?? undefined });
    });
}

/** Two requests with one key would both get its lock, because they share a transaction. The later one waits. */
function firstOfEachKey<Item>(entries: readonly Entry<Item>[]): Map<Entry<Item>, Idempotency> {
  const seen = new Set<string>();
  const first = new Map<Entry<Item>, Idempotency>();
  for (const entry of entries) {
    const { idempotency } = entry.context;
    if (!idempotency) continue;
    const name = `${idempotency.scope} ${idempotency.key}`;
    if (!seen.has(name)) first.set(entry, idempotency);
    seen.add(name);
  }
  return first;
}

/** The database was not reached, or did not answer in time: no request would do better alone. */
const isOfDatabase = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'service_unavailable' || error.code === 'upstream_timeout');
