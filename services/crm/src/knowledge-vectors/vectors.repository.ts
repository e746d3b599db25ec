import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { PackedVector } from './vector.ts';

/** The query for the embedder of a store. No row: it has none. */
export const findIndex = (sql: Sql, storeId: string) => sql<{ embedder_id: string }[]>`
  select embedder_id from knowledge_indexes where store_id = ${storeId}`;

/** The query for how far the passages of a store have vectors. No row: it has no embedder. */
export const describeIndex = (sql: Sql, storeId: string) =>
  sql<{ passages: number; indexed: number; failure: string | null; attempts: number; next_attempt_at: Date | null }[]>`
    select failure, attempts, next_attempt_at,
      (select count(*)::int from knowledge_passages where store_id = ${storeId}) as passages,
      (select count(*)::int from passage_vectors v where v.store_id = ${storeId} and v.embedder_id = i.embedder_id) as indexed
    from knowledge_indexes i where store_id = ${storeId}`;

/** Gives the store this embedder. With another one all passages need new vectors, and the old ones are replaced. */
export const saveIndex = (sql: TransactionSql, storeId: string, embedderId: string) => sql`
  insert into knowledge_indexes (store_id, embedder_id, next_attempt_at)
  values (${storeId}, ${embedderId}, ${dueNow(sql)})
  on conflict (store_id) do update
  set embedder_id = excluded.embedder_id, next_attempt_at = excluded.next_attempt_at, lease_token = null, attempts = 0, failure = null`;

export async function deleteIndex(sql: TransactionSql, storeId: string): Promise<void> {
  // First the row: a process that embeds now saves nothing after it.
  await sql`delete from knowledge_indexes where store_id = ${storeId}`;
  await sql`delete from passage_vectors where store_id = ${storeId}`;
}

/** The store has passages without vectors: they get theirs now, if it has an embedder. */
export const wakeIndex = (sql: TransactionSql, storeId: string) => sql`
  update knowledge_indexes set next_attempt_at = ${dueNow(sql)}, lease_token = null where store_id = ${storeId}`;

/** Stores that are due, those that waited longest first. For the system role. */
export const findDueIndexes = (sql: Sql, limit: number) => sql<{ store_id: string }[]>`
  select store_id from knowledge_indexes where next_attempt_at <= now() order by next_attempt_at limit ${limit}`;

export type ClaimedIndex = { readonly embedder_id: string; readonly lease_token: string; readonly attempts: number };

/** Claims the index for one attempt. Undefined: another process has it, or it is not due any more. */
export async function claimIndex(
  sql: TransactionSql,
  storeId: string,
  leaseMs: number,
): Promise<ClaimedIndex | undefined> {
  const [row] = await sql<ClaimedIndex[]>`
    update knowledge_indexes
    set next_attempt_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond', lease_token = gen_random_uuid()
    where store_id = ${storeId} and next_attempt_at <= clock_timestamp()
    returning embedder_id, lease_token, attempts`;
  return row;
}

export type PassageToEmbed = {
  readonly document_id: string;
  readonly position: number;
  readonly title: string;
  readonly content: string;
  readonly has_failed: boolean;
};

/**
 * Passages without a vector of this embedder. One that has failed alone comes after all that have not, and then alone
 * again, the one that failed first.
 */
export const findPassagesToEmbed = (sql: Sql, storeId: string, embedderId: string, limit: number) =>
  sql<PassageToEmbed[]>`
    select p.document_id, p.position, d.title, p.content, p.embed_failed_at is not null as has_failed
    from knowledge_passages p
    join knowledge_documents d on d.store_id = ${storeId} and d.id = p.document_id
    where p.store_id = ${storeId} and not exists (
      select from passage_vectors v
      where v.store_id = ${storeId} and v.document_id = p.document_id and v.position = p.position
        and v.embedder_id = ${embedderId})
    order by p.embed_failed_at nulls first, p.document_id, p.position
    limit ${limit}`;

/** Notes that a passage got no vector when it was the only one. */
export const markFailed = (sql: TransactionSql, storeId: string, { document_id, position }: PassageToEmbed) => sql`
  update knowledge_passages set embed_failed_at = clock_timestamp()
  where store_id = ${storeId} and document_id = ${document_id} and position = ${position}`;

/** Locks the index before its vectors are saved. False: the store has another embedder now, or none. */
export async function lockIndex(sql: TransactionSql, storeId: string, embedderId: string): Promise<boolean> {
  const rows = await sql`
    select from knowledge_indexes where store_id = ${storeId} and embedder_id = ${embedderId} for update`;
  return rows.length > 0;
}

/** Saves the vectors of passages that are still the same. An import waits for the lock of the index. */
export const saveVectors = (
  sql: TransactionSql,
  storeId: string,
  embedderId: string,
  embedded: readonly (PassageToEmbed & PackedVector)[],
) => sql`
  insert into passage_vectors (store_id, document_id, position, embedder_id, embedding, bits)
  select ${storeId}, p.document_id, p.position, ${embedderId}, decode(given.embedding, 'hex'), given.bits::bit varying
  from unnest(
    ${embedded.map(({ document_id }) => document_id)}::uuid[], ${embedded.map(({ position }) => position)}::int[],
    ${embedded.map(({ title }) => title)}::text[], ${embedded.map(({ content }) => content)}::text[],
    ${embedded.map(({ embedding }) => embedding.toString('hex'))}::text[], ${embedded.map(({ bits }) => bits)}::text[]
  ) given (document_id, position, title, content, embedding, bits)
  join knowledge_passages p
    on p.store_id = ${storeId} and p.document_id = given.document_id and p.position = given.position
      and p.content = given.content
  join knowledge_documents d on d.store_id = ${storeId} and d.id = p.document_id and d.title = given.title
  on conflict (store_id, document_id, position) do update
  set embedder_id = excluded.embedder_id, embedding = excluded.embedding, bits = excluded.bits`;

export type AttemptOutcome = {
  readonly attempts: number;
  readonly failure: string | null;
  /** Null: all passages have vectors. */
  readonly nextInMs: number | null;
};

/** Records an attempt, unless another one or an import came in between. */
export const recordAttempt = (
  sql: TransactionSql,
  storeId: string,
  leaseToken: string,
  { attempts, failure, nextInMs }: AttemptOutcome,
) => sql`
  update knowledge_indexes
  set attempts = ${attempts}, failure = ${failure}, lease_token = null,
    next_attempt_at = ${dueNow(sql)} + ${nextInMs}::int * interval '1 millisecond'
  where store_id = ${storeId} and lease_token = ${leaseToken}`;

export type NearPassage = { readonly document_id: string; readonly position: number; readonly embedding: Buffer };

/** The query for the passages of the store whose bits differ least from these. */
export const findNearest = (sql: Sql, storeId: string, embedderId: string, bits: string, limit: number) => sql<
  NearPassage[]
>`
  with nearest as materialized (
    select document_id, position from passage_vectors
    -- A server that changes its model unasked may change the length, too.
    where store_id = ${storeId} and embedder_id = ${embedderId} and length(bits) = ${bits.length}
    order by bit_count(bits # ${bits}::bit varying) limit ${limit}
  )
  select v.document_id, v.position, v.embedding
  from nearest n
  join passage_vectors v on v.store_id = ${storeId} and v.document_id = n.document_id and v.position = n.position`;
