import type { Sql, SystemDatabase, TransactionSql } from '../database/database.ts';
import type { Idempotency } from '../rpc/context.ts';

export type IdempotencyRecord = {
  readonly fingerprint: string;
  /** Null until the answer is known. */
  readonly reply: Buffer | null;
  readonly etag: string | null;
  /** Only the tables of services that defer answers have this column. */
  readonly entity_id?: string | null;
};

export async function findRecord(
  sql: Sql,
  storeId: string,
  { scope, key }: Idempotency,
): Promise<IdempotencyRecord | undefined> {
  const [record] = await sql<IdempotencyRecord[]>`
    select * from idempotency_records
    where store_id = ${storeId} and scope = ${scope} and key = ${key} and expires_at > now()`;
  return record;
}

/** What a transaction finds under a key: nothing, so that it is the only one with this key; a record; another request. */
export type Taken = 'free' | 'busy' | IdempotencyRecord;

/**
 * Makes this transaction the only one under each key that is free, and says for each key what it found. The keys differ.
 */
export async function takeKeys(
  sql: TransactionSql,
  storeId: string,
  keys: readonly Idempotency[],
): Promise<ReadonlyMap<Idempotency, Taken>> {
  if (keys.length === 0) return new Map();
  const scopes = keys.map(({ scope }) => scope);
  const names = keys.map(({ key }) => key);
  const asked = sql`unnest(${scopes}::text[], ${names}::text[]) with ordinality as asked (scope, key, number)`;
  // Two statements, because each sees what was committed before it began: the check must come after the lock.
  const [locks, records] = await Promise.all([
    sql<{ number: number; mine: boolean }[]>`
      select number, pg_try_advisory_xact_lock(hashtextextended(${storeId}::text || ' ' || scope || ' ' || key, 0)) as mine
      from ${asked}`.execute(),
    sql<(IdempotencyRecord & { number: number })[]>`
      select number, record.* from ${asked} cross join lateral (
        select * from idempotency_records kept
        where kept.store_id = ${storeId} and kept.scope = asked.scope and kept.key = asked.key and expires_at > now()
        limit 1) as record`, // The limit makes it a look-up for each key, whatever statistics the planner has.
  ]);
  const found: Taken[] = keys.map(() => 'free');
  for (const { number, mine } of locks) if (!mine) found[number - 1] = 'busy';
  for (const { number, ...record } of records) found[number - 1] = record;
  return new Map(keys.map((key, index) => [key, found[index] ?? 'free']));
}

/** The answer of a request, for its record. */
export type KeptAnswer = {
  readonly idempotency: Idempotency;
  /** Null: the answer is not known yet, and `entityId` says of which row it will be. */
  readonly reply: string | null;
  readonly etag: string | null;
  readonly entityId?: string;
};

/**
 * Writes the records of keys that this transaction has taken. Returns how many: fewer than given means that another
 * request was first, because the primary key decides.
 */
export async function keepRecords(
  sql: TransactionSql,
  storeId: string,
  answers: readonly KeptAnswer[],
): Promise<number> {
  if (answers.length === 0) return 0;
  const rows = answers.map(({ idempotency: { scope, key, fingerprint }, reply, etag, entityId }) => ({
    ...{ scope, key, fingerprint, reply, etag },
    ...(entityId === undefined ? {} : { entity_id: entityId }),
  }));
  const entity = answers.some(({ entityId }) => entityId !== undefined)
    ? { columns: sql`, entity_id`, given: sql`, entity_id uuid`, changed: sql`, entity_id = excluded.entity_id` }
    : { columns: sql``, given: sql``, changed: sql`` };
  const { count } = await sql`
    insert into idempotency_records (store_id, scope, key, fingerprint, reply, etag ${entity.columns})
    select ${storeId}::uuid, scope, key, fingerprint, convert_to(reply, 'UTF8'), etag ${entity.columns}
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as answer (scope text, key text, fingerprint text, reply text, etag text ${entity.given})
    on conflict (store_id, scope, key) do update
      set fingerprint = excluded.fingerprint, reply = excluded.reply, etag = excluded.etag,
        created_at = excluded.created_at, expires_at = excluded.expires_at ${entity.changed}
      where idempotency_records.expires_at <= now()`;
  return count;
}

/** Stores the answer of a record unless another request has. Returns the stored answer. */
export async function completeRecord(
  sql: TransactionSql,
  storeId: string,
  { scope, key }: Idempotency,
  entityId: string,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  const record = sql`store_id = ${storeId} and scope = ${scope} and key = ${key} and entity_id = ${entityId}`;
  const { count } = await sql`update idempotency_records set reply = ${bytes} where ${record} and reply is null`;
  if (count > 0) return bytes;
  const [stored] = await sql<{ reply: Buffer }[]>`select reply from idempotency_records where ${record}`;
  // No record: it expired after 24 hours, so no replay will follow.
  return stored?.reply ?? bytes;
}

/** Deletes up to `limit` expired records, and returns how many. */
export async function deleteExpiredRecords(database: SystemDatabase, limit: number): Promise<number> {
  const { count } = await database.execute(
    { deadline: Date.now() + 10_000 },
    (sql) => sql`
      delete from idempotency_records where expires_at <= now()
        and ctid = any(array(select ctid from idempotency_records where expires_at <= now() limit ${limit}))`,
  );
  return count;
}
