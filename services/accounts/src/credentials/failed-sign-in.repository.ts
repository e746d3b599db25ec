import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** Whose sign-in failed, and the stores whose audit logs have it. Null: no person has the address. */
export type Concerned = { readonly userId: string | null; readonly storeIds: string[] };

/**
 * The person with this email address: the stores that their password opens, or all of theirs when they have none. Another
 * store does not learn that they sign in elsewhere.
 */
export async function findConcerned(sql: Sql, email: string): Promise<Concerned> {
  const [row] = await sql<[{ user_id: string | null; opened: string[] | null; all: string[] | null }]>`
    select p.user_id,
      (select array_agg(store_id) from credential_stores where user_id = p.user_id and passkey_id is null) as opened,
      (select array_agg(store_id) from memberships where user_id = p.user_id) as all
    from (select max(id::text)::uuid as user_id from users where lower(email) = lower(${email})) as p`;
  return { userId: row.user_id, storeIds: row.opened ?? row.all ?? [] };
}

/** The stores that a passkey opens. */
export async function storesOfPasskey(sql: Sql, passkeyId: string): Promise<string[]> {
  const rows = await sql<{ store_id: string }[]>`
    select store_id from credential_stores where passkey_id = ${passkeyId}`;
  return rows.map(({ store_id }) => store_id);
}

/** The stores that the person's account at the OpenID provider opens, or all of theirs when it opens none. */
export async function storesOfAccount(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql<{ store_id: string; confirmed: boolean }[]>`
    select store_id, confirmed_at is not null as confirmed from memberships where user_id = ${userId}`;
  const confirmed = rows.filter((row) => row.confirmed);
  return (confirmed.length > 0 ? confirmed : rows).map(({ store_id }) => store_id);
}

export type Failure = Concerned & {
  readonly account: Uint8Array;
  readonly method: string;
  readonly address: string;
  readonly requestId: string;
};

/**
 * Counts a failed attempt. Beyond `most` network addresses in a window, all others are counted together. Returns the address
 * under which it counts, empty for those, and whether it is the first there.
 */
export async function countFailure(
  sql: TransactionSql,
  { account, method, address, userId, storeIds, requestId }: Failure,
  most: number,
): Promise<{ address: string; isFirst: boolean }> {
  const [row] = await sql<[{ address: string; is_first: boolean }]>`
    with known as (select address from failed_sign_ins where account = ${account} and method = ${method})
    insert into failed_sign_ins as f (account, method, address, user_id, store_ids, request_id)
    select ${account}, ${method},
      case when exists (select from known where address = ${address})
        or (select count(*) from known where address <> '') < ${most} then ${address} else '' end,
      ${userId}::uuid, ${storeIds}::uuid[], ${requestId}
    on conflict (account, method, address) do update set untold = f.untold + 1
    returning address, untold = 0 as is_first`;
  return { address: row.address, isFirst: row.is_first };
}

type Ended = Pick<Failure, 'userId' | 'storeIds' | 'method' | 'address' | 'requestId'> & { readonly untold: number };

/** Takes windows that are over, some at a time. */
export async function takeEnded(sql: TransactionSql, windowMinutes: number, limit: number): Promise<Ended[]> {
  return await sql<Ended[]>`
    delete from failed_sign_ins where (account, method, address) in (
      select account, method, address from failed_sign_ins
      where since < clock_timestamp() - make_interval(mins => ${windowMinutes}) limit ${limit} for update skip locked)
    returning user_id as "userId", store_ids as "storeIds", method, address, request_id as "requestId", untold`;
}
