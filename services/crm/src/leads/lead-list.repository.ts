import { mostCountedLeads } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { pageByTime, type SqlPart } from '@mostrador/kit/database/time-page';
import { phoneForms } from '@mostrador/kit/phones/canonical-phone';
import type { LeadRow } from './lead.ts';
import type { LeadFilters, LeadOrder } from './lead-list.ts';
import { type LeadSearch, mostFound } from './lead-search.ts';

/** `isBroad`: the search finds more than `mostFound` leads. */
type Breadth = { readonly isBroad: boolean };

/** The query for the number of leads; of a search, at most `mostCountedLeads`. It runs when it is awaited. */
export function countLeads(sql: Sql, storeId: string, filters: LeadFilters, { isBroad }: Breadth) {
  return sql<[{ total: number }]>`
    select count(*)::int as total from (
      select from leads where ${matches(sql, storeId, filters, isBroad)} ${bounded(sql, filters)}
      ${filters.search ? sql`limit ${mostCountedLeads}` : sql``}) as counted`;
}

// With a plan for any values, PostgreSQL expects few rows in a range, but a third of all rows with one limit. Then it would
// start parallel workers, which take 10 ms, or read the whole store.
const bounded = (sql: Sql, { created_after, updated_after, updated_before }: LeadFilters) => sql`
  ${created_after ? sql`and created_at < 'infinity'` : sql``}
  ${updated_after && !updated_before ? sql`and updated_at < 'infinity'` : sql``}`;

/** A query for the number of leads that `updated_before` and `opted_out: false` leave out of what the rest shows. */
export function countLeftOut(sql: Sql, storeId: string, filters: LeadFilters) {
  const unsettled = filters.updated_before && countUnsettled(sql, storeId, filters);
  const optedOut = filters.opted_out === false && countOptedOut(sql, storeId, filters);
  if (unsettled && optedOut) return sql`select (${unsettled}) + (${optedOut})`;
  return unsettled || optedOut || undefined;
}

const countOptedOut = (sql: Sql, storeId: string, { updated_before: _, ...others }: LeadFilters) => sql`
  select count(*) from leads where ${matches(sql, storeId, { ...others, opted_out: true }, false)}`;

const countUnsettled = (sql: Sql, storeId: string, { updated_before, ...others }: LeadFilters) => sql`
  select count(*) from leads
  where ${matches(sql, storeId, others, false)} and updated_at >= ${updated_before ?? 'infinity'}
    and updated_at <= 'infinity'`;

/** How many leads a search finds before other filters, at most `mostFound` and one more. */
export async function countFound(sql: Sql, storeId: string, search: LeadSearch): Promise<number> {
  const [row] = await sql<[{ found: number }]>`select count(*)::int as found from ${find(sql, storeId, search)}`;
  return row.found;
}

const find = (sql: Sql, storeId: string, { words, spellings }: LeadSearch) =>
  sql`find_lead_texts(${storeId}, ${[...words]}::text[], ${[...spellings]}::text[], ${mostFound + 1}) as lead_id`;

/** The query for a page of leads, which runs when it is awaited. */
export function listLeads(
  sql: Sql,
  storeId: string,
  filters: LeadFilters,
  page: {
    order: LeadOrder;
    start: TimePageStart;
    limit: number;
    /** Fetch all matching rows, then sort them: for a few rows that are far apart in this order. */
    gather: boolean;
  } & Breadth,
) {
  const { order, start, limit, gather, isBroad } = page;
  // Not `*`: a page would also read the columns that only the filters use.
  const rowsOf = (beyond: SqlPart, one?: LeadRow['status']) => sql`
    select id, store_id, name, customer_phone, channel_user_id, username, previous_lead_id, status, seller_id, external_id, email, tags,
      metadata, interaction_count, ai_paused_until, ai_paused_by, opted_out_at, opt_out_version, version, created_at, updated_at
    from leads where ${matches(sql, storeId, one ? { ...filters, status: [one] } : filters, isBroad)} ${beyond}`;
  const inOrder = { column: order.by, descending: order.descending, start, limit };
  return sql<LeadRow[]>`${pageByTime(sql, { ...inOrder, gather, statuses: filters.status, rowsOf })}`;
}

/** The ids of the leads that a search finds, at most `mostCountedLeads`: those that changed last. */
export async function listFoundIds(
  sql: Sql,
  storeId: string,
  filters: Pick<LeadFilters, 'search' | 'visible_to'>,
  isBroad: boolean,
): Promise<{ id: string }[]> {
  return await sql<{ id: string }[]>`
    select id from leads where ${matches(sql, storeId, filters, isBroad)}
    order by updated_at desc, id desc limit ${mostCountedLeads}`;
}

// Composed instead of `$1 is null or …`: a condition that is always in the statement would prevent an index scan.
function matches(sql: Sql, storeId: string, filters: LeadFilters, isBroad: boolean) {
  const { status, seller_id, visible_to, id, customer_phone, channel_user_id, external_id, email, tag, search } =
    filters;
  const { opted_out, created_after, updated_after, updated_before } = filters;
  const conditions = [
    status?.length === 1 && sql`status = ${status[0] as string}`,
    status && status.length > 1 && sql`status = any(${[...status]}::text[])`,
    seller_id && sql`seller_id = ${seller_id}`,
    seller_id === null && sql`seller_id is null`,
    visible_to && sql`(seller_id = ${visible_to} or seller_id is null)`,
    id && sql`id = any(${[...id]}::uuid[])`,
    customer_phone && sql`customer_phone = any(${phoneForms(customer_phone)}::text[])`,
    channel_user_id && sql`channel_user_id = ${channel_user_id}`,
    external_id && sql`external_id = ${external_id}`,
    email && sql`email_key = ${email}`,
    tag && sql`id in (select lead_id from ${withTag(sql, storeId, tag)})`,
    search && !isBroad && sql`id in (select lead_id from ${find(sql, storeId, search)})`,
    search && isBroad && hasText(sql, storeId, search),
    opted_out === true && sql`opted_out_at is not null`,
    opted_out === false && sql`opted_out_at is null`,
    created_after && sql`created_at > ${created_after}`,
    updated_after && sql`updated_at > ${updated_after}`,
    updated_before && sql`updated_at < ${updated_before}`,
  ];
  let all = sql`store_id = ${storeId}`;
  for (const condition of conditions) if (condition) all = sql`${all} and ${condition}`;
  return all;
}

const withTag = (sql: Sql, storeId: string, tags: readonly string[]) => sql`
  lead_tags where store_id = ${storeId} and tag collate without_case = any(${[...tags]}::text[])`;

/** Compares the text of one lead after the other: for a search with results near the beginning of every order. */
function hasText(sql: Sql, storeId: string, { words, spellings }: LeadSearch) {
  const patterns = (some: readonly string[]) => sql`((select search_patterns(${[...some]}::text[]))::text[])`;
  return sql`(
    select content like all ${patterns(words)} or content like any ${patterns(spellings)}
    from lead_texts where lead_texts.store_id = ${storeId} and lead_texts.lead_id = leads.id)`;
}
