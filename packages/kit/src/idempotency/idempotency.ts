import { setTimeout as pause } from 'node:timers/promises';
import type { Operation, ReplyOf } from '@mostrador/contracts/core';
import type { Vault } from '../clients/secrets.ts';
import type { Database, SystemDatabase, TransactionSql } from '../database/database.ts';
import type { Relay } from '../outbox/relay.ts';
import type { Idempotency, StoreContext } from '../rpc/context.ts';
import { AppError } from '../rpc/errors.ts';
import { type Later, later, type Reply, replay, reply, replyBytes, serializeReply } from '../rpc/reply.ts';
import {
  completeRecord,
  deleteExpiredRecords,
  findRecord,
  type IdempotencyRecord,
  type KeptAnswer,
  keepRecords,
  takeKeys,
} from './idempotency.repository.ts';

export type IdempotentWork<O extends Operation, T> = {
  readonly database: Database;
  readonly context: StoreContext;
  readonly operation: O;
  /**
   * What the request does: look-ups first, then `commit(work)`, and once more only if that has rejected; `work` is the only
   * transaction. All of it may run again from the start, so nothing before or inside `commit` may have an effect outside
   * of that transaction.
   */
  readonly run: (commit: (work: (sql: TransactionSql) => Promise<T>) => Promise<T>) => Promise<T>;
  readonly toReply: (result: T) => ReplyOf<O>;
  readonly etag?: (result: T) => string;
  /** Seals the stored answer. For an answer that shows a secret. */
  readonly vault?: Vault;
};

/** Work whose answer is known only after its commit. */
export type DeferredWork<O extends Operation, T> = Pick<
  IdempotentWork<O, T>,
  'database' | 'context' | 'operation' | 'run'
> & {
  /** The id of the row that the transaction wrote. Later requests find the outcome by it. */
  readonly entityOf: (result: T) => string;
  /**
   * Waits for the outcome of the row and returns it as the answer, as in `later`. `result` is what `run` has returned,
   * and undefined when the request repeats an earlier one.
   */
  readonly answer: (entityId: string, result?: T) => Promise<ReplyOf<O>>;
};

/** Another request has used or is using this key: start again from the look-up. */
export class StartAgain extends Error {}

/** Time left for the answer to reach the caller before its deadline. */
const answerMarginMs = 250;
const longestPauseMs = 250;

/**
 * One effect per idempotency key (the specification's replay window: 24 hours, per store and endpoint). The transaction
 * of the first request stores its reply; a repeated request gets that reply as a replay. While the first one runs, the
 * others wait without a connection. A request that fails stores nothing. One that `settles` its key never runs.
 *
 * @throws AppError `idempotency_key_reused` (422) when the key was used with another body, `idempotency_in_progress`
 * (409) when the first request did not finish in time, and whatever `run` throws
 */
export async function withIdempotency<O extends Operation, T>(
  options: IdempotentWork<O, T>,
): Promise<Reply<ReplyOf<O>>> {
  const { database, context, run, vault } = options;
  const { storeId, idempotency } = context;
  if (!idempotency) {
    const result = await run((work) => database.write(context, work));
    return reply(options.toReply(result), { etag: options.etag?.(result) });
  }
  return await underKey(
    { database, context, idempotency },
    {
      again: ({ reply: stored, etag }) =>
        replay(openAnswer(vault, storeId, idempotency, stored as Buffer), { etag: etag ?? undefined }),
      first: () => runOnce(options, idempotency),
    },
  );
}

/**
 * `withIdempotency` for work that is one transaction and needs nothing before it. Afterwards the relay delivers what the
 * transaction wrote to the outbox.
 */
export async function writeOnce<O extends Operation, T>(
  { database, relay }: { readonly database: Database; readonly relay: Pick<Relay, 'nudge'> },
  context: StoreContext,
  operation: O,
  {
    work,
    ...answer
  }: Pick<IdempotentWork<O, T>, 'toReply' | 'etag' | 'vault'> & {
    readonly work: (sql: TransactionSql) => Promise<T>;
  },
): Promise<Reply<ReplyOf<O>>> {
  const result = await withIdempotency({ ...answer, database, context, operation, run: (commit) => commit(work) });
  relay.nudge();
  return result;
}

/**
 * `withIdempotency` for an answer that is known only after the commit. The transaction stores the id of the row, and
 * the first request that knows the answer completes the record. Until then repeated requests wait for the same row,
 * even when the process of the first one has died. The answer is a `Later`, or a replay when it is already stored.
 *
 * @throws AppError as `withIdempotency` does
 */
export async function withDeferredIdempotency<O extends Operation, T>(
  options: DeferredWork<O, T>,
): Promise<Reply<ReplyOf<O>> | Later<ReplyOf<O>>> {
  const { database, context, operation, run, entityOf, answer } = options;
  const { storeId, idempotency } = context;
  if (!idempotency) {
    const result = await run((work) => database.write(context, work));
    return later(() => answer(entityOf(result), result));
  }
  const answerOf = async (entityId: string, result?: T): Promise<Uint8Array> => {
    const bytes = serializeReply(operation, await answer(entityId, result));
    return await database.write(context, (sql) => completeRecord(sql, storeId, idempotency, entityId, bytes));
  };
  const complete = (entityId: string, dress: (bytes: Uint8Array) => Reply<never>, result?: T) =>
    later(async () => {
      const bytes = await answerOf(entityId, result).catch((error) => Promise.reject(unknownAfterCommit(error)));
      return dress(bytes);
    });
  return await underKey<Reply<ReplyOf<O>> | Later<ReplyOf<O>>>(
    { database, context, idempotency },
    {
      again: ({ reply: bytes, entity_id }) => (bytes ? replay(bytes) : complete(entity_id as string, replay)),
      first: async () => {
        const result = await run((work) =>
          database.write(context, async (sql) => {
            await takeKey(sql, storeId, idempotency);
            const done = await work(sql);
            await keepRecord(sql, storeId, { idempotency, reply: null, etag: null, entityId: entityOf(done) });
            return done;
          }),
        );
        return complete(entityOf(result), replyBytes, result);
      },
    },
  );
}

/** Deletes expired records in batches until none is left or `signal` is aborted. Returns how many. */
export async function purgeIdempotency(
  database: SystemDatabase,
  options: { signal?: AbortSignal; batch?: number } = {},
): Promise<number> {
  const { signal, batch = 1000 } = options;
  let purged = 0;
  for (let count = batch; count === batch && !signal?.aborted; purged += count) {
    count = await deleteExpiredRecords(database, batch);
  }
  return purged;
}

/** The fingerprint of the record of a withdrawn key. No request has it, so the record refuses all of them. */
const withdrawn = 'withdrawn';

/**
 * Runs `first` when the key has no record, otherwise `again` with the record. A request that settles its key withdraws it
 * instead of running `first`.
 */
export async function underKey<R>(
  { database, context, idempotency }: { database: Database; context: StoreContext; idempotency: Idempotency },
  does: { again: (record: IdempotencyRecord) => R; first: () => Promise<R> },
): Promise<R> {
  return await untilNotBusy(context, async () => {
    const earlier = await database.read(context, (sql) => findRecord(sql, context.storeId, idempotency));
    if (earlier) return does.again(ofSameRequest(idempotency, earlier));
    if (!idempotency.settles) return await does.first();
    await database.write(context, async (sql) => {
      await takeKey(sql, context.storeId, idempotency);
      const taken = { ...idempotency, fingerprint: withdrawn };
      await keepRecord(sql, context.storeId, { idempotency: taken, reply: '', etag: null });
    });
    throw new AppError('idempotency_key_reused');
  });
}

/**
 * Tries again while another request with the same key runs (`StartAgain`), and meanwhile holds no connection.
 *
 * @throws AppError `idempotency_in_progress` when the other request did not finish in time, and whatever `attempt` throws
 */
export async function untilNotBusy<R>(context: StoreContext, attempt: () => Promise<R>): Promise<R> {
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StartAgain)) throw error;
    }
    if (Date.now() + pauseMs + answerMarginMs >= context.deadline) {
      throw new AppError('idempotency_in_progress', { retryAfterSeconds: 1 });
    }
    await pause(pauseMs * (0.5 + Math.random() * 0.5));
  }
}

/** The record, or AppError `idempotency_key_reused` when it is that of another request. */
export function ofSameRequest(idempotency: Idempotency, record: IdempotencyRecord): IdempotencyRecord {
  if (record.fingerprint !== idempotency.fingerprint) throw new AppError('idempotency_key_reused');
  return record;
}

async function runOnce<O extends Operation, T>(
  { database, context, operation, run, toReply, etag, vault }: IdempotentWork<O, T>,
  idempotency: Idempotency,
): Promise<Reply<ReplyOf<O>>> {
  let committed: Reply<never> | undefined;
  const result = await run((work) =>
    database.write(context, async (sql) => {
      await takeKey(sql, context.storeId, idempotency);
      const done = await work(sql);
      const bytes = serializeReply(operation, toReply(done));
      const stored = sealAnswer(vault, context.storeId, idempotency, bytes);
      await keepRecord(sql, context.storeId, { idempotency, reply: stored, etag: etag?.(done) ?? null });
      committed = replyBytes(bytes, { etag: etag?.(done) });
      return done;
    }),
  );
  return committed ?? reply(toReply(result), { etag: etag?.(result) });
}

type SealedAnswer = { readonly answer: string };

const aad = (storeId: string, { scope, key }: Idempotency) => `idempotency_record:${storeId} ${scope} ${key}`;

/** The text of an answer as its record stores it. */
function sealAnswer(vault: Vault | undefined, storeId: string, idempotency: Idempotency, bytes: Uint8Array): string {
  const answer = Buffer.from(bytes).toString('utf8');
  return vault ? vault.seal({ answer } satisfies SealedAnswer, aad(storeId, idempotency)) : answer;
}

/** The bytes of a stored answer as they were sent. */
function openAnswer(vault: Vault | undefined, storeId: string, idempotency: Idempotency, stored: Buffer): Uint8Array {
  if (!vault) return stored;
  return Buffer.from(vault.open<SealedAnswer>(stored.toString('utf8'), aad(storeId, idempotency)).answer, 'utf8');
}

/** Makes this transaction the only one under the key, and checks again that no record exists. */
async function takeKey(sql: TransactionSql, storeId: string, idempotency: Idempotency): Promise<void> {
  const taken = await takeKeys(sql, storeId, [idempotency]);
  if (taken.get(idempotency) !== 'free') throw new StartAgain();
}

async function keepRecord(sql: TransactionSql, storeId: string, answer: KeptAnswer): Promise<void> {
  if ((await keepRecords(sql, storeId, [answer])) === 0) throw new StartAgain();
}

/** `service_unavailable` means that nothing was done. After the commit only the answer is missing. */
const unknownAfterCommit = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'service_unavailable'
    ? new AppError('upstream_timeout', { cause: error })
    : error;
