import type { UserRole } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { SessionRow } from './session.repository.ts';

/** The stores to which the holder of a session may go, its own among them, by name. */
export async function listReachableStores(
  sql: Sql,
  { user_id: userId, store_id: storeId, reach }: SessionRow,
): Promise<{ id: string; name: string; role: UserRole }[]> {
  return await sql<{ id: string; name: string; role: UserRole }[]>`
    select st.id, st.name, m.role
    from memberships m join stores st on st.id = m.store_id
    where m.user_id = ${userId}
      and (m.store_id = ${storeId} or ${reach} = 'all' or (${reach} = 'joined' and m.joined_at is not null))
    order by st.name, st.id limit 1000`;
}
