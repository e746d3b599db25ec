import postgres from 'postgres';
import { inBulk } from './bulk.ts';
import { fillMessages } from './fill-messages.ts';

/** The numbers of rows, over all stores. */
export type Sizes = {
  readonly messages: number;
  readonly leads: number;
  readonly appointments: number;
  readonly followups: number;
};

const messagesALead = 10;
const stores = 10;
const sellers = 4;
const readableLeads = 200;

export const sizesOf = (messages: number): Sizes => ({
  messages,
  leads: messages / messagesALead,
  appointments: messages / 50,
  followups: messages / 50,
});

/** A connection with an administrator's rights and without a statement timeout. */
export const connectAdmin = (databaseUrl: string): postgres.Sql =>
  postgres(databaseUrl, {
    max: 1,
    onnotice: () => {},
    connection: { statement_timeout: 0, maintenance_work_mem: '512MB', synchronous_commit: 'off' },
  });

/**
 * Fills the database with the activity of 400 days. A tenth of it belongs to the store, the rest to nine others, in
 * turn. Returns some leads of the store.
 */
export async function fillReports(databaseUrl: string, storeId: string, sizes: Sizes): Promise<string[]> {
  const sql = connectAdmin(databaseUrl);
  try {
    await makeLeads(sql, storeId, sizes.leads);
    await fillLeads(sql, storeId);
    await fillMessages(sql);
    await fillScheduling(sql, sizes);
    const step = Math.max(1, Math.floor(sizes.leads / stores / readableLeads));
    const leads = await sql<{ id: string }[]>`
      select id from bench.leads where store_id = ${storeId} and (n / ${stores}::int) % ${step}::int = 0
      limit ${readableLeads}`;
    await sql`drop schema bench cascade`;
    await sql`checkpoint`;
    return leads.map(({ id }) => id);
  } finally {
    await sql.end();
  }
}

/** Creates `bench.leads`, from which all other rows derive. */
async function makeLeads(sql: postgres.Sql, storeId: string, count: number): Promise<void> {
  const sellerRows = await sql<{ id: string }[]>`
    insert into crm.sellers (store_id, name, whatsapp_id)
    select ${storeId}, 'Seller ' || n, (5511800000000 + n)::text from generate_series(1, ${sellers}::int) n
    returning id`;
  await sql`create schema bench`;
  await sql`
    create unlogged table bench.leads as
    select n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
      case when n % ${stores}::int = 0 then ${storeId}::uuid
        else overlay('00000000-0000-4000-8000-000000000000' placing (n % ${stores}::int)::text from 36)::uuid end as store_id,
      (now() - interval '400 days' * (1 - n / ${count + 1}::float8))::timestamptz(3) as created_at,
      -- a quarter stay as they came, a quarter are in progress, a quarter are converted, a quarter are lost
      n / ${stores}::int % 4 as outcome,
      -- a fifth of the lost are so for the second time
      n / ${stores}::int % 20 = 19 as again,
      case when n % ${stores}::int = 0
        then (${sql.array(sellerRows.map(({ id }) => id))}::uuid[])[n / ${stores}::int % ${sellers + 1}::int] end as seller_id
    from generate_series(1, ${count}::int) n`;
}

async function fillLeads(sql: postgres.Sql, storeId: string): Promise<void> {
  const tables = ['crm.leads', 'crm.lead_status_changes', 'crm.lead_seller_changes'];
  const change = (version: number, from: string | null, to: string, where: postgres.PendingQuery<postgres.Row[]>) => {
    const at = (tenths: number) => sql`created_at + (now() - created_at) * ${tenths / 10}::float8`;
    const previousAt = version === 5 ? at(2) : sql`null`;
    return sql`
      insert into crm.lead_status_changes
        (store_id, lead_id, version, from_status, to_status, changed_at, seller_id, previous_at)
      select store_id, id, ${version}, ${from}, ${to}, ${at(version - 1)}, seller_id, ${previousAt}
      from bench.leads where ${where}`;
  };
  await inBulk(sql, tables, async () => {
    await sql`
      insert into crm.leads (store_id, id, name, customer_phone, status, seller_id, created_at, updated_at)
      select store_id, id, 'Maria da Silva ' || n, (5511900000000 + n)::text,
        (array['pending', 'in_progress', 'converted', 'lost'])[1 + outcome], seller_id, created_at, created_at
      from bench.leads`;
    await change(1, null, 'pending', sql`true`);
    await change(2, 'pending', 'in_progress', sql`outcome in (1, 2)`);
    await change(2, 'pending', 'lost', sql`outcome = 3`);
    await change(3, 'in_progress', 'converted', sql`outcome = 2`);
    await change(3, 'lost', 'in_progress', sql`again`);
    await change(5, 'in_progress', 'lost', sql`again`);
    await sql`
      insert into crm.lead_seller_changes (store_id, lead_id, version, to_seller, changed_at)
      select store_id, id, 1, seller_id, created_at from bench.leads
      where store_id = ${storeId} and seller_id is not null`;
  });
}

async function fillScheduling(sql: postgres.Sql, { leads, appointments, followups }: Sizes): Promise<void> {
  const tables = ['scheduling.appointments', 'scheduling.followups'];
  const [every, everyOther] = [Math.floor(leads / appointments), Math.floor(leads / followups)];
  await inBulk(sql, tables, async () => {
    await sql`
      insert into scheduling.appointments
        (store_id, lead_id, title, scheduled_at, duration_minutes, status, created_at, updated_at)
      select store_id, case when n / ${stores}::int % 20 > 0 then id end, 'Eye test', created_at, 30,
        (array['scheduled', 'done', 'cancelled', 'no_show'])[1 + outcome], created_at, created_at
      from bench.leads where n / ${stores}::int % ${every}::int = 0`;
    await sql`
      insert into scheduling.followups
        (store_id, lead_id, message, due_at, status, message_id, error_code, error_detail, cancel_reason,
         next_attempt_at, cancel_on_reply, cancel_on_appointment, created_at, updated_at)
      select store_id, id, 'Still there?', created_at, status, id,
        case status when 'failed' then 'refused' end, case status when 'failed' then 'It was refused.' end,
        case status when 'cancelled' then 'api' end,
        case status when 'pending' then now() + interval '1 year' end, true, false,
        created_at, created_at + (now() - created_at) * 0.1::float8
      from bench.leads, lateral (select (array['pending', 'sent', 'failed', 'cancelled'])[1 + outcome] as status) as of
      where n / ${stores}::int % ${everyOther}::int = 0`;
  });
}
