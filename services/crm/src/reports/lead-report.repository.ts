import type { Lead } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';

/** Repeated changes: a lead changes into a status into which it had changed before. */
export type Repeats = {
  /** The previous change was at or after the first boundary. */
  readonly in_period: readonly { status: 'converted' | 'lost'; seller_id: string | null; count: number }[];
  /** The previous change was in the same bucket. Buckets count from 1. */
  readonly in_buckets: readonly { bucket: number; status: 'converted' | 'lost'; count: number }[];
};

/** The query for `Repeats` as one JSON value. Repeated changes have an index, and few of them share a bucket. */
export function repeatsBetween(sql: Sql, storeId: string, boundaries: readonly Date[]) {
  const moments = boundaries.map((at) => at.toISOString());
  const [from, to] = [moments[0] as string, moments.at(-1) as string];
  const longestMs = Math.max(...boundaries.slice(1).map((at, n) => at.getTime() - (boundaries[n] as Date).getTime()));
  return sql`
    with again as materialized (
      select to_status as status, seller_id, changed_at, previous_at from lead_status_changes
      where store_id = ${storeId} and changed_at >= ${from} and changed_at < ${to} and previous_at >= ${from}
        and to_status in ('converted', 'lost')),
    near as (
      select bucket, status, count(*)
      from again, width_bucket(changed_at, ${moments}::timestamptz[]) as bucket
      where changed_at - previous_at < make_interval(secs => ${longestMs / 1000})
        and previous_at >= (${moments}::timestamptz[])[bucket]
      group by 1, 2)
    select json_build_object(
      'in_period', (
        select coalesce(json_agg(counted), '[]')
        from (select status, seller_id, count(*) from again group by 1, 2) as counted),
      'in_buckets', (select coalesce(json_agg(near), '[]') from near))`;
}

export type LeadSpan = { readonly from: Date | null; readonly to: Date | null };
export type StatusSpan = {
  readonly status: Lead['status'];
  /** The number of changes into the status within the span. */
  readonly changes: number;
  /** Whether the lead was created with the status within the span. */
  readonly created: boolean;
  /** The seconds in the status within the span, until now at most. */
  readonly seconds: number;
};

/** One entry for each status that the lead ever had. */
export async function listStatusSpans(
  sql: Sql,
  storeId: string,
  leadId: string,
  { from, to }: LeadSpan,
): Promise<StatusSpan[]> {
  return await sql<StatusSpan[]>`
    with span as (
      select coalesce(${from}::timestamptz, '-infinity') as first, coalesce(${to}::timestamptz, 'infinity') as last),
    history as (
      select to_status as status, from_status, changed_at, changed_at >= first and changed_at < last as within,
        greatest(changed_at, first) as since,
        least(lead(changed_at) over (order by version), last, now()) as until
      from lead_status_changes, span
      where store_id = ${storeId} and lead_id = ${leadId})
    select status, count(*) filter (where within)::int as changes,
      coalesce(bool_or(from_status is null and within), false) as created,
      coalesce(round(sum(extract(epoch from until - since)) filter (where until > since), 3), 0)::float8 as seconds
    from history group by status`;
}
