import { type AdCounts, mostAdsOfReport } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';

type Span = { readonly from: Date; readonly to: Date };

/**
 * Counts the messages that customers wrote after a tap on an ad or post, from `from` (inclusive) to `to` (exclusive). Such
 * messages are few, and have an index of their own: they need no totals of closed time.
 */
export const countAds = (sql: Sql, storeId: string, { from, to }: Span) => sql<AdCounts[]>`
      with told as (
        select lead_id, number, created_at, ad ->> 'source_type' as source_type, ad ->> 'source_id' as source_id,
          ad ->> 'source_url' as source_url, ad ->> 'headline' as headline
        from messages cross join lateral (select content -> 'referral' as ad) as referral
        where store_id = ${storeId} and direction = 'inbound' and content ? 'referral' and not from_history
          and created_at >= ${from} and created_at < ${to})
      select source_type, source_id,
        (array_agg(source_url order by created_at desc) filter (where source_url is not null))[1] as source_url,
        (array_agg(headline order by created_at desc) filter (where headline is not null))[1] as headline,
        count(*)::int as messages, count(distinct lead_id)::int as leads,
        count(distinct lead_id) filter (where number = 1)::int as new_leads
      from told
      -- Without an id its page names the ad.
      group by source_type, source_id, case when source_id is null then source_url end
      order by messages desc, source_id, source_url limit ${mostAdsOfReport}`;
