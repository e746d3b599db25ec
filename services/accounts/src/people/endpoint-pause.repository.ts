import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';

/** Endpoints that are to be paused: those that a person, or a key of theirs, created in a store. */
export type EndpointPause = {
  readonly id: string;
  readonly store_id: string;
  /** The person's id in the store. */
  readonly person_id: string;
  readonly key_ids: string[];
  /** Who asked. Null: the operator. */
  readonly actor_id: string | null;
  readonly address: string | null;
  readonly request_id: string;
};

export async function insertEndpointPause(
  sql: TransactionSql,
  { requestId, client }: Pick<Context, 'requestId' | 'client'>,
  pause: { storeId: string; userId: string; keyIds: readonly string[]; actorId: string | null },
): Promise<void> {
  const { storeId, userId, keyIds, actorId } = pause;
  await sql`
    insert into endpoint_pauses (store_id, person_id, key_ids, actor_id, address, request_id)
    values (${storeId}, person_id(${storeId}, ${userId}), ${keyIds}::text[], ${actorId}, ${client?.address ?? null},
      ${requestId})`;
}

/** The oldest ones. */
export const listEndpointPauses = (sql: Sql, limit: number): PromiseLike<EndpointPause[]> =>
  sql<EndpointPause[]>`
    select id, store_id, person_id, key_ids, actor_id, address, request_id from endpoint_pauses
    order by id limit ${limit}`;

/** False: another process has done it. */
export async function deleteEndpointPause(sql: TransactionSql, id: string): Promise<boolean> {
  const rows = await sql`delete from endpoint_pauses where id = ${id} returning 1`;
  return rows.length > 0;
}
