import type { Lead } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/postgres';

/** Changes into a status by leads that had changed into it before. */
export type Repeats = {
  /** From 1, between two boundaries. */
  readonly bucket: number;
  readonly status: 'converted' | 'lost';
  readonly seller_id: string | null;
  /** Of leads that had done so in the same bucket. */
  readonly in_bucket: number;
  /** Of leads that had done so since the first boundary, so as many as there are. */
  readonly in_period: number;
};

/** A query of all `Repeats` as one JSON value. Few leads change twice; they have an index. */
export function repeatsBetween(sql: Sql, storeId: string, boundaries: readonly Date[]) {
  const moments = boundaries.map((at) => at.toISOString());
  const [from, to] = [moments[0] as string, moments.at(-1) as string];
  return sql`
    select coalesce(json_agg(repeats), '[]') from (
      select bucket, to_status as status, seller_id, count(*) as in_period,
        count(*) filter (where previous_at >= (${moments}::timestamptz[])[bucket]) as in_bucket
      from lead_status_changes, width_bucket(changed_at, ${moments}::timestamptz[]) as bucket
      where store_id = ${storeId} and changed_at >= ${from} and changed_at < ${to} and previous_at >= ${from}
        and to_status in ('converted', 'lost')
      group by 1, 2, 3) as repeats`;
}

export type LeadSpan = { readonly from: Date | null; readonly to: Date | null };
export type StatusSpan = {
  readonly status: Lead['status'];
  /** Changes into it within the span. */
  readonly changes: number;
  /** The lead was created with it within the span. */
  readonly created: boolean;
  /** Within the span, until now at most. */
  readonly seconds: number;
};

/** What a lead's history has of each status that it ever had. */
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
