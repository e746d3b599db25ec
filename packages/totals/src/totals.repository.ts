import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** Rows of a list: all, or those of some statuses and owners. */
export type ListRows<List extends string = string> = {
  readonly list: List;
  /** Rows with one of these. */
  readonly statuses?: readonly string[];
  /** Rows with one of these. Null: rows without an owner. */
  readonly owners?: readonly (string | null)[];
  /** A query of the number of rows that do not count. It sees the same snapshot as the totals. */
  readonly except?: ReturnType<Sql['unsafe']> | undefined;
};

/** A group of rows that the totals count wrong. */
export type WrongTotal = {
  readonly list: string;
  readonly status: string | null;
  readonly owner: string | null;
  readonly is: number;
  readonly should_be: number;
};

/** Held while totals change. The system role and the runtime role of a service have the same schema. */
const lock = (sql: Sql) => sql`hashtextextended('mostrador list totals of ' || current_schema, 0)`;

/**
 * The number of rows, from totals and changes. Undefined when the list is not built. One statement reads both, so it sees
 * a change or the total with it, never both and never neither.
 */
export async function readTotal(sql: Sql, storeId: string, rows: ListRows): Promise<number | undefined> {
  const { list, except } = rows;
  const [row] = await sql<[{ total: number | null }]>`
    select case when ${isBuilt(sql, storeId, list)} then (
      (select coalesce(sum(rows), 0) from list_totals where ${matches(sql, storeId, rows)})
      + (select coalesce(sum(change), 0) from list_total_changes where ${matches(sql, storeId, rows)})
      ${except ? sql`- (${except})` : sql``})::int end as total`;
  return row.total ?? undefined;
}

/**
 * A query of `{ built, rows }`, as one JSON value, with the numbers of a list's rows by status. It counts the rows when the
 * list is not built.
 */
export function countByStatus(sql: Sql, storeId: string, list: string) {
  const ofList = sql`store_id = ${storeId} and list = ${list} and status is not null`;
  return sql`
    select case when ${isBuilt(sql, storeId, list)} then (
      select json_build_object('built', true, 'rows', coalesce(json_object_agg(status, rows), '{}')) from (
        select status, sum(rows)::bigint as rows from (
          select status, rows from list_totals where ${ofList}
          union all
          select status, change from list_total_changes where ${ofList}) as counted
        group by status having sum(rows) <> 0) as by_status)
    else (
      select json_build_object('built', false, 'rows', coalesce(json_object_agg(status, rows), '{}')) from (
        select status, count(*) as rows from list_rows where ${ofList} group by status) as by_status)
    end`;
}

const isBuilt = (sql: Sql, storeId: string, list: string) =>
  sql`exists (select from list_totals_built where store_id = ${storeId} and list = ${list})`;

function matches(sql: Sql, storeId: string, { list, statuses, owners }: ListRows) {
  const ids = owners?.filter((owner) => owner !== null);
  return sql`store_id = ${storeId} and list = ${list}
    ${statuses ? sql`and status = any(${[...statuses]}::text[])` : sql``}
    ${ids ? sql`and (owner = any(${ids}::uuid[]) ${owners?.includes(null) ? sql`or owner is null` : sql``})` : sql``}`;
}

/**
 * Adds up to `limit` changes to the totals. Returns their number: 0 also when another transaction holds the lock.
 * The statement after the lock sees all that the transactions before it have done.
 */
export async function foldChanges(sql: TransactionSql, limit: number): Promise<number> {
  const [{ mine }] = await sql<[{ mine: boolean }]>`select pg_try_advisory_xact_lock(${lock(sql)}) as mine`;
  if (!mine) return 0;
  const [{ folded }] = await sql<[{ folded: number }]>`
    with oldest as materialized (
      select store_id, list, id from list_total_changes order by store_id, list, id limit ${limit}),
    gone as (
      delete from list_total_changes as each using oldest
      where each.store_id = oldest.store_id and each.list = oldest.list and each.id = oldest.id
      returning each.store_id, each.list, each.status, each.owner, each.change),
    added as (
      insert into list_totals as total (store_id, list, status, owner, rows)
      select store_id, list, status, owner, sum(change) from gone
      group by store_id, list, status, owner having sum(change) <> 0 order by store_id, list, status, owner
      on conflict (store_id, list, status, owner) do update set rows = total.rows + excluded.rows)
    select count(*)::int as folded from gone`;
  return folded;
}

/** Whether there is a change of any store. */
export async function hasChanges(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ some: boolean }]>`select exists (select from list_total_changes) as some`;
  return row.some;
}

/** Sets the time limit of this transaction's statements. */
export async function extendStatements(sql: TransactionSql, limitMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(Math.max(1, limitMs))}, true)`;
}

/** Counts a list of a store, unless its totals are built. */
export async function buildTotals(sql: TransactionSql, storeId: string, list: string): Promise<void> {
  const [row] = await sql<[{ built: boolean }]>`select ${isBuilt(sql, storeId, list)} as built`;
  if (!row.built) await rebuildTotals(sql, storeId, list);
}

/**
 * Replaces the totals of a list by a recount. It waits until no other transaction changes totals. Then one statement
 * counts the rows and deletes the changes. Both are those of its snapshot: a change that commits later stays.
 */
export async function rebuildTotals(sql: TransactionSql, storeId: string, list: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lock(sql)})`;
  const ofList = sql`store_id = ${storeId} and list = ${list}`;
  await sql`delete from list_totals where ${ofList}`;
  await sql`
    with gone as (delete from list_total_changes where ${ofList}),
    built as (insert into list_totals_built (store_id, list) values (${storeId}, ${list}) on conflict do nothing)
    insert into list_totals (store_id, list, status, owner, rows)
    select store_id, list, status, owner, count(*) from list_rows where ${ofList} group by 1, 2, 3, 4`;
}

/** Compares the totals of a store's built lists with a recount, in one snapshot. Returns at most 100 groups. */
export async function findWrongTotals(sql: Sql, storeId: string): Promise<WrongTotal[]> {
  return await sql<WrongTotal[]>`
    select list, status, owner, sum(counted)::int as is, sum(found)::int as should_be
    from (
      select list, status, owner, rows as counted, 0 as found from list_totals where store_id = ${storeId}
      union all
      select list, status, owner, change, 0 from list_total_changes where store_id = ${storeId}
      union all
      select list, status, owner, 0, count(*) from list_rows where store_id = ${storeId} group by 1, 2, 3
    ) as compared
    where list in (select list from list_totals_built where store_id = ${storeId})
    group by 1, 2, 3 having sum(counted) <> sum(found) order by 1, 2, 3 limit 100`;
}

/** Stores with built totals, by id, and how many more come after them. For the system role. */
export async function listBuiltStores(
  sql: Sql,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ stores: string[]; left: number }> {
  const rows = await sql<{ store_id: string; found: number }[]>`
    select store_id, (count(*) over ())::int as found
    from (select distinct store_id from list_totals_built ${after ? sql`where store_id > ${after}` : sql``}) as built
    order by store_id limit ${limit}`;
  return { stores: rows.map(({ store_id }) => store_id), left: (rows[0]?.found ?? 0) - rows.length };
}
