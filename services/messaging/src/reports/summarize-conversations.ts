import type { summarizeConversations as operation } from '@mostrador/contracts';
import { toColumns } from '@mostrador/kit/rpc/columns';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { conversationRollups, toConversationCounts } from './conversation-counts.ts';

export const summarizeConversations =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const boundaries = body.boundaries.map((ms) => new Date(ms));
    const { total, buckets } = await database.read(context, (sql) =>
      conversationRollups.read(sql, context.storeId, { boundaries }),
    );
    return { total: toConversationCounts(total), buckets: toColumns(buckets.map(toConversationCounts)) };
  };
