import { leadStatuses } from '@mostrador/contracts';
import postgres from 'postgres';

/** Facts about the leads of the store under test. */
export type Filled = {
  readonly sellerId: string;
  /** Some of its leads, spread over all of them. */
  readonly leadIds: readonly string[];
  readonly phone: string;
  /** Half of its leads were created before this time. */
  readonly middle: string;
  /** A fifth of its leads were last changed after this time. */
  readonly recent: string;
};

/** Of this many leads one belongs to another store. */
const perOther = 11;
const others = 9;
const sellers = 4;
const readableLeads = 200;

/**
 * Fills the database with leads of two years: `count` of the store, and a tenth as many of nine more stores, in turn. Each
 * status has a quarter of the store's leads, and a fifth have no seller. `bench.leads` gets the same rows, constraints and
 * indexes, but no foreign keys, policies or history.
 */
export async function fillLeads(databaseUrl: string, storeId: string, count: number): Promise<Filled> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connection: { statement_timeout: 0 } });
  try {
    const sellerRows = await sql<{ id: string }[]>`
      insert into crm.sellers (store_id, name, whatsapp_id)
      select ${storeId}, 'Seller ' || n, (5511800000000 + n)::text from generate_series(1, ${sellers}::int) n
      returning id`;
    const sellerIds = sellerRows.map(({ id }) => id);
    const all = Math.floor((count * perOther) / (perOther - 1));
    await sql`
      insert into crm.leads (store_id, name, customer_phone, status, seller_id, created_at, updated_at)
      select case own when true then ${storeId}::uuid else overlay(${otherStores} placing (n / ${perOther}::int % ${others}::int)::text from 36)::uuid end,
             'Maria da Silva ' || n, (5511900000000 + n)::text,
             (${sql.array([...leadStatuses])}::text[])[1 + k % ${leadStatuses.length}::int],
             case when own then (${sql.array(sellerIds)}::uuid[])[k % ${sellers + 1}::int] end,
             created, created + (now() - created) * ((n::bigint * 7919) % 1000) / 1000.0
      from (select n, n - n / ${perOther}::int as k, n % ${perOther}::int <> 0 as own,
                   now() - interval '730 days' * (1 - n / ${all + 1}::float8) as created
            from generate_series(1, ${all}::int) n) as lead`;
    await sql`
      insert into crm.lead_status_changes (store_id, lead_id, version, to_status, changed_at)
      select store_id, id, version, status, created_at from crm.leads`;
    await sql.unsafe(`
      create schema bench;
      create table bench.leads (like crm.leads including all);
      create table bench.copied_leads (like crm.leads including all);
      insert into bench.leads select * from crm.leads`);
    for (const table of ['crm.leads', 'crm.lead_status_changes', 'bench.leads'])
      await sql.unsafe(`vacuum analyze ${table}`);
    await sql.unsafe('checkpoint');
    return await describe(sql, storeId, sellerIds[0] ?? '');
  } finally {
    await sql.end();
  }
}

const otherStores = '00000000-0000-4000-8000-000000000000';

async function describe(sql: postgres.Sql, storeId: string, sellerId: string): Promise<Filled> {
  const [moments] = await sql<[{ middle: Date; recent: Date; phone: string; own: number }]>`
    select percentile_disc(0.5) within group (order by created_at) as middle,
           percentile_disc(0.8) within group (order by updated_at) as recent,
           min(customer_phone) as phone, count(*)::int as own
    from crm.leads where store_id = ${storeId}`;
  const step = Math.max(1, Math.floor(moments.own / readableLeads));
  const leads = await sql<{ id: string }[]>`
    select id from (select id, row_number() over (order by id) as n from crm.leads where store_id = ${storeId}) as lead
    where n % ${step}::int = 0 limit ${readableLeads}`;
  return {
    sellerId,
    leadIds: leads.map(({ id }) => id),
    phone: moments.phone,
    middle: moments.middle.toISOString(),
    recent: moments.recent.toISOString(),
  };
}
