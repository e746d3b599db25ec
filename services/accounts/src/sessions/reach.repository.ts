import type { UserRole } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { type Reaching, reachOf } from './reach.ts';

/** `reachOf` as a condition: whether the holder of a session may go to the store of the membership `m`. */
export function isReachable(sql: Sql, session: Reaching) {
  const reached = reachOf(session);
  switch (reached.stores) {
    case 'all':
      return sql`true`;
    case 'own':
      return sql`m.store_id = ${reached.storeId}`;
    case 'confirmed':
      return sql`(m.store_id = ${reached.storeId} or m.confirmed_at is not null)`;
    case 'opened':
      return sql`(m.store_id = ${reached.storeId} or exists (
        select from credential_stores c
        where c.store_id = m.store_id and c.user_id = m.user_id
          and c.passkey_id is not distinct from ${reached.passkeyId}::uuid))`;
  }
}

type Holder = Reaching & { readonly user_id: string };
type ReachableStore = { readonly id: string; readonly name: string; readonly role: UserRole };

/** The stores to which the holder of a session may go, its own among them, by name, from a place on. */
export async function listReachableStores(
  sql: Sql,
  session: Holder,
  { after, limit }: { readonly after: Pick<ReachableStore, 'id' | 'name'> | undefined; readonly limit: number },
): Promise<ReachableStore[]> {
  return await sql<ReachableStore[]>`
    select st.id, st.name, m.role
    from memberships m join stores st on st.id = m.store_id
    where m.user_id = ${session.user_id} and ${isReachable(sql, session)}
      ${after ? sql`and (st.name, st.id) > (${after.name}, ${after.id}::uuid)` : sql``}
    order by st.name, st.id limit ${limit}`;
}

/** Whether the holder of a session may go to a store. */
export async function isReachableStore(sql: Sql, session: Holder, storeId: string): Promise<boolean> {
  const rows = await sql`
    select from memberships m
    where m.user_id = ${session.user_id} and m.store_id = ${storeId} and ${isReachable(sql, session)}`;
  return rows.length > 0;
}
