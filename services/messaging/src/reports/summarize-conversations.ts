import type {
  summarizeConversations as operation,
  summarizeConversationsV1 as operationV1,
} from '@mostrador/contracts';
import { toColumns } from '@mostrador/kit/rpc/columns';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { conversationRollups, toConversationCounts } from './conversation-counts.ts';

export const summarizeConversations =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const boundaries = body.boundaries.map((ms) => new Date(ms));
    const { total, buckets } = await countConversations(dependencies, context, boundaries);
    return { total, buckets: toColumns(buckets) };
  };

export const summarizeConversationsV1 =
  (dependencies: Dependencies): Handler<typeof operationV1> =>
  async (context, { body }) =>
    await countConversations(dependencies, context, body.boundaries.map(toInstant));

async function countConversations({ database }: Dependencies, context: StoreContext, boundaries: readonly Date[]) {
  const { total, buckets } = await database.read(context, (sql) =>
    conversationRollups.read(sql, context.storeId, { boundaries }),
  );
  return { total: toConversationCounts(total), buckets: buckets.map(toConversationCounts) };
}
