import { createAppointment } from '@mostrador/contracts';
import postgres from 'postgres';

/** The body of a creation after validation. */
export type NewAppointment = {
  title: string;
  scheduled_at: string;
  duration_minutes: number;
  notes?: string | null;
  lead_id?: string | null;
};

export const baselineStoreId = '00000000-0000-7000-8000-000000000001';

/** The schema of a creation without the keyword `text`, which Fastify's own validator does not know. */
export const bodySchema = JSON.parse(
  JSON.stringify(createAppointment.request.body, (name, value) => (name === 'text' ? undefined : value)),
);

/** Creates a copy of the platform's table, with its constraints and indexes. */
export async function createTable(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(`
    drop schema if exists bench cascade;
    create schema bench;
    create table bench.appointments (like scheduling.appointments including all)`);
  await sql.end();
}

/** Does what a competent small service does: one pool, and one prepared statement per request. */
export function openTable(databaseUrl: string) {
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  const columns = (by: postgres.ISql) => by`
    id, store_id, lead_id, title, scheduled_at, duration_minutes, status, notes, metadata, created_at, updated_at`;
  const insertBy = async (by: postgres.ISql, body: NewAppointment) => {
    const [row] = await by`
        insert into bench.appointments (store_id, lead_id, title, scheduled_at, duration_minutes, notes)
        values (${baselineStoreId}, ${body.lead_id ?? null}, ${body.title}, ${new Date(body.scheduled_at)},
                ${body.duration_minutes}, ${body.notes ?? null})
        returning ${columns(by)}`;
    return row;
  };
  return {
    insert: (body: NewAppointment) => insertBy(sql, body),
    /** Inserts in an explicit transaction, as a service that also writes a second row must. */
    insertInTransaction: (body: NewAppointment) => sql.begin((transaction) => insertBy(transaction, body)),
    async find(id: string) {
      const [row] = await sql`
        select ${columns(sql)} from bench.appointments where store_id = ${baselineStoreId} and id = ${id}`;
      return row;
    },
  };
}
