import type { UserRole } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { isReachable, type SessionRow } from './session.repository.ts';

/** The stores to which the holder of a session may go, its own among them, by name. */
export async function listReachableStores(
  sql: Sql,
  session: SessionRow,
): Promise<{ id: string; name: string; role: UserRole }[]> {
  return await sql<{ id: string; name: string; role: UserRole }[]>`
    select st.id, st.name, m.role
    from memberships m join stores st on st.id = m.store_id
    where m.user_id = ${session.user_id} and ${isReachable(sql, session)}
    order by st.name, st.id limit 1000`;
}
