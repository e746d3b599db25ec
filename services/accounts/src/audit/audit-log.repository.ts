import type { Sql } from '@mostrador/kit/database/database';
import type { AuditAction } from './audit.repository.ts';
import type { StoredDetails } from './audit-details.ts';
import { idsAround } from './ids-around.ts';

export type AuditRow = {
  readonly id: string;
  readonly at: Date;
  readonly actor_kind: 'operator' | 'user' | 'guest';
  /** In `users`. */
  readonly actor_id: string | null;
  /** In the store. */
  readonly actor_person_id: string | null;
  readonly action: AuditAction;
  readonly subject_id: string;
  readonly details: StoredDetails | null;
  readonly address: string | null;
};

export type AuditFilter = {
  readonly actorId?: string;
  readonly action?: string;
  readonly from?: Date;
  readonly to?: Date;
  /** Only entries before the one with this id. */
  readonly before?: string;
  readonly limit: number;
};

/**
 * Entries of a store, newest first. Their ids are in the order of time, so that each filter has an index that is read
 * from its end. A period is found by its ids, and bounded to the millisecond by `at`.
 */
export async function listAuditRows(sql: Sql, storeId: string, filter: AuditFilter): Promise<AuditRow[]> {
  const { actorId, action, from, to, before, limit } = filter;
  return await sql<AuditRow[]>`
    select id, at, actor_kind, actor_id, person_id(store_id, actor_id) as actor_person_id, action, subject_id, details,
      address from audit_log
    where store_id = ${storeId}
      ${before === undefined ? sql`` : sql`and id < ${before}`}
      ${actorId === undefined ? sql`` : sql`and actor_id = ${actorId}`}
      ${action === undefined ? sql`` : sql`and action = ${action}`}
      ${from === undefined ? sql`` : sql`and at >= ${from} and id >= ${idsAround(from).first}`}
      ${to === undefined ? sql`` : sql`and at < ${to} and id <= ${idsAround(to).last}`}
    order by id desc limit ${limit}`;
}

/** The names of keys of the store by their ids. Other ids are left out. */
export async function namesOfKeys(sql: Sql, storeId: string, ids: readonly string[]): Promise<[string, string][]> {
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from api_keys where store_id = ${storeId} and id = any(${ids}::text[])`;
  return rows.map(({ id, name }) => [id, name]);
}

/** The id in `users` of a person whom the store has invited, by their id in the store. Null: it invited no such person. */
export async function findInvited(sql: Sql, storeId: string, personId: string): Promise<string | null> {
  const [row] = await sql<{ subject_id: string }[]>`
    select subject_id from audit_log
    where store_id = ${storeId} and action = 'user.invited' and person_id(store_id, subject_id::uuid) = ${personId}
    limit 1`;
  return row?.subject_id ?? null;
}

/** Those of the ids in `users` that are people whom the store has invited, each with the person's id in the store. */
export async function listInvited(sql: Sql, storeId: string, ids: readonly string[]): Promise<[string, string][]> {
  const rows = await sql<{ subject_id: string; person_id: string }[]>`
    select distinct subject_id, person_id(store_id, subject_id::uuid) as person_id from audit_log
    where store_id = ${storeId} and action = 'user.invited' and subject_id = any(${ids}::text[])`;
  return rows.map(({ subject_id, person_id }) => [subject_id, person_id]);
}

/**
 * The names of people whom the store has invited, as it names them. A person who has left is shown by the email address,
 * which the store wrote itself: it must not learn the name that another store gave.
 */
export async function namesOfPeople(
  sql: Sql,
  storeId: string,
  invited: readonly string[],
): Promise<[string, string][]> {
  const rows = await sql<{ id: string; name: string }[]>`
    select u.id, case when m.user_id is null then lower(u.email) else coalesce(m.name, u.name) end as name
    from users u left join memberships m on m.user_id = u.id and m.store_id = ${storeId}
    where u.id = any(${invited}::uuid[])`;
  return rows.map(({ id, name }) => [id, name]);
}
