import type { summarizeConversations as operation } from '@mostrador/contracts';
import { toColumns } from '@mostrador/kit/rpc/columns';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { countAds } from './ad-report.repository.ts';
import { type ConversationFacts, conversationRollups, toConversationCounts } from './conversation-counts.ts';

export const summarizeConversations =
  ({ database, rateCard }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const boundaries = body.boundaries.map((ms) => new Date(ms));
    const [from, to] = [boundaries[0] as Date, boundaries.at(-1) as Date];
    const { total, buckets, by_ad } = await database.read(context, async (sql) => {
      const [counted, by_ad] = await Promise.all([
        conversationRollups.read(sql, context.storeId, { boundaries }),
        countAds(sql, context.storeId, { from, to }),
      ]);
      return { ...counted, by_ad };
    });
    const toCounts = (facts: ConversationFacts) => toConversationCounts(facts, rateCard?.currency ?? null);
    return { total: toCounts(total), buckets: toColumns(buckets.map(toCounts)), by_ad };
  };
