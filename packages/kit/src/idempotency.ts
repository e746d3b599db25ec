import { setTimeout as pause } from 'node:timers/promises';
import type { Operation, ReplyOf } from '@mostrador/contracts';
import type { Idempotency, StoreContext } from './context.ts';
import { AppError } from './errors.ts';
import type { Database, Sql, SystemDatabase, TransactionSql } from './postgres.ts';
import { type Reply, replay, reply, replyBytes, serializeReply } from './reply.ts';

export type IdempotentWork<O extends Operation, T> = {
  readonly database: Database;
  readonly context: StoreContext;
  readonly operation: O;
  /**
   * What the request does: look-ups first, then `commit(work)` once, whose `work` is the one transaction. All of it may
   * run again from the start, so nothing before or inside `commit` has an effect outside of that transaction.
   */
  readonly run: (commit: (work: (sql: TransactionSql) => Promise<T>) => Promise<T>) => Promise<T>;
  readonly toReply: (result: T) => ReplyOf<O>;
  readonly etag?: (result: T) => string;
};

type IdempotencyRecord = { readonly fingerprint: string; readonly reply: Buffer; readonly etag: string | null };

/** Somebody else was or is at it with this key: look again from the start. */
class StartAgain extends Error {}

/** Left for the answer's way back, so that the caller hears it before giving up. */
const ANSWER_MARGIN_MS = 250;
const LONGEST_PAUSE_MS = 250;

/**
 * One effect per idempotency key (the specification's replay window: 24 hours, per store and endpoint). The first
 * request's reply is stored in the transaction that does its work; the same request again gets it as a replay. While the
 * first still runs, the others wait without a connection. A request that fails leaves nothing behind.
 *
 * @throws AppError `idempotency_key_reused` (422) when the key came before with another body, `idempotency_in_progress` (409) when the first did not finish in time, and whatever `run` throws
 */
export async function withIdempotency<O extends Operation, T>(
  options: IdempotentWork<O, T>,
): Promise<Reply<ReplyOf<O>>> {
  const { database, context, run } = options;
  const { idempotency } = context;
  if (!idempotency) {
    const result = await run((work) => database.write(context, work));
    return reply(options.toReply(result), { etag: options.etag?.(result) });
  }
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const earlier = await database.read(context, (sql) => findRecord(sql, context.storeId, idempotency));
    if (earlier) return replayOf(earlier, idempotency);
    try {
      return await runOnce(options, idempotency);
    } catch (error) {
      if (!(error instanceof StartAgain)) throw error;
    }
    if (Date.now() + pauseMs + ANSWER_MARGIN_MS >= context.deadline) {
      throw new AppError('idempotency_in_progress', { retryAfterSeconds: 1 });
    }
    await pause(pauseMs * (0.5 + Math.random() * 0.5));
  }
}

/** Deletes records that have expired, in batches, until none is left or the signal comes. Returns how many. */
export async function purgeIdempotency(
  database: SystemDatabase,
  options: { signal?: AbortSignal; batch?: number } = {},
): Promise<number> {
  const { signal, batch = 1000 } = options;
  let purged = 0;
  for (let count = batch; count === batch && !signal?.aborted; purged += count) {
    ({ count } = await database.write(
      { deadline: Date.now() + 10_000 },
      (sql) => sql`
        delete from idempotency_records where expires_at <= now()
          and ctid = any(array(select ctid from idempotency_records where expires_at <= now() limit ${batch}))`,
    ));
  }
  return purged;
}

async function runOnce<O extends Operation, T>(
  { database, context, operation, run, toReply, etag }: IdempotentWork<O, T>,
  idempotency: Idempotency,
): Promise<Reply<ReplyOf<O>>> {
  let committed: Reply<never> | undefined;
  const result = await run((work) =>
    database.write(context, async (sql) => {
      await takeKey(sql, context.storeId, idempotency);
      const done = await work(sql);
      const bytes = serializeReply(operation, toReply(done));
      await keepRecord(sql, context.storeId, idempotency, bytes, etag?.(done));
      committed = replyBytes(bytes, { etag: etag?.(done) });
      return done;
    }),
  );
  return committed ?? reply(toReply(result), { etag: etag?.(result) });
}

function replayOf(record: IdempotencyRecord, { fingerprint }: Idempotency): Reply<never> {
  if (record.fingerprint !== fingerprint) throw new AppError('idempotency_key_reused');
  return replay(record.reply, { etag: record.etag ?? undefined });
}

async function findRecord(
  sql: Sql,
  storeId: string,
  { scope, key }: Idempotency,
): Promise<IdempotencyRecord | undefined> {
  const [record] = await sql<IdempotencyRecord[]>`
    select fingerprint, reply, etag from idempotency_records
    where store_id = ${storeId} and scope = ${scope} and key = ${key} and expires_at > now()`;
  return record;
}

/** Makes this transaction the only one that works under the key, and looks once more whether it is done already. */
async function takeKey(sql: TransactionSql, storeId: string, idempotency: Idempotency): Promise<void> {
  const name = `${storeId} ${idempotency.scope} ${idempotency.key}`;
  // Two statements, as each sees what was committed before it began: the look must come after the lock.
  const [[lock], record] = await Promise.all([
    sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as mine`.execute(),
    findRecord(sql, storeId, idempotency),
  ]);
  if (!lock?.mine || record) throw new StartAgain();
}

/** The primary key has the last word: a record that is there and alive means that somebody was first. */
async function keepRecord(
  sql: TransactionSql,
  storeId: string,
  { scope, key, fingerprint }: Idempotency,
  bytes: Uint8Array,
  etag: string | undefined,
): Promise<void> {
  const kept = await sql`
    insert into idempotency_records as record (store_id, scope, key, fingerprint, reply, etag)
    values (${storeId}, ${scope}, ${key}, ${fingerprint}, ${bytes}, ${etag ?? null})
    on conflict (store_id, scope, key) do update
      set (fingerprint, reply, etag, created_at, expires_at)
        = (excluded.fingerprint, excluded.reply, excluded.etag, excluded.created_at, excluded.expires_at)
      where record.expires_at <= now()`;
  if (kept.count === 0) throw new StartAgain();
}
