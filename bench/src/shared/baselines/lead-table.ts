import postgres from 'postgres';

/** Does what a competent small service does with leads: one pool, and one prepared statement per request. */
export function openLeads(databaseUrl: string, storeId: string) {
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  const columns = () => sql`
    id, store_id, name, customer_phone, status, seller_id, external_id, email, tags, metadata, interaction_count,
    ai_paused_until, created_at, updated_at`;
  return {
    async find(id: string) {
      const [row] = await sql`
        select ${columns()} from bench.leads where store_id = ${storeId} and id = ${id}`;
      return row;
    },
    /** The 50 leads after this one, newest first. */
    async listAfter(createdAt: string, id: string) {
      return await sql`
        select ${columns()} from bench.leads
        where store_id = ${storeId} and (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid)
        order by created_at desc, id desc limit 50`;
    },
    async setStatus(id: string, status: string) {
      const [row] = await sql`
        update bench.leads set status = ${status}, version = version + 1, updated_at = clock_timestamp()
        where store_id = ${storeId} and id = ${id}
        returning ${columns()}`;
      return row;
    },
  };
}
