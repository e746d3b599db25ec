import type { showKnowledgeIndex as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { describeIndex } from './vectors.repository.ts';

export const showKnowledgeIndex =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const [row] = await database.read(context, (sql) => describeIndex(sql, context.storeId));
    if (!row) return { index: null };
    const { next_attempt_at, ...index } = row;
    return { index: { ...index, next_attempt_at: next_attempt_at && toTimestamp(next_attempt_at) } };
  };
