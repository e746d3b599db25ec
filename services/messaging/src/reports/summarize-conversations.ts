import type { summarizeConversations as operation } from '@mostrador/contracts';
import { toColumns } from '@mostrador/kit/rpc/columns';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { type ConversationFacts, conversationRollups, toConversationCounts } from './conversation-counts.ts';

export const summarizeConversations =
  ({ database, rateCard }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const boundaries = body.boundaries.map((ms) => new Date(ms));
    const { total, buckets } = await database.read(context, (sql) =>
      conversationRollups.read(sql, context.storeId, { boundaries }),
    );
    const toCounts = (facts: ConversationFacts) => toConversationCounts(facts, rateCard?.currency ?? null);
    return { total: toCounts(total), buckets: toColumns(buckets.map(toCounts)) };
  };
