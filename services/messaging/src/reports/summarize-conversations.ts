import type { summarizeConversations as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc-server';
import { toInstant } from '@mostrador/kit/validate';
import type { Dependencies } from '../dependencies.ts';
import { presentConversations } from './conversation-counts.ts';
import { conversationRollups } from './rollups.ts';

export const summarizeConversations =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const boundaries = body.boundaries.map(toInstant);
    const { total, buckets } = await database.read(context, (sql) =>
      conversationRollups.read(sql, context.storeId, { boundaries }),
    );
    return { total: presentConversations(total), buckets: buckets.map(presentConversations) };
  };
