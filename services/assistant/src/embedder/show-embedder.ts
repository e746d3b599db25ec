import { type showEmbedder as operation, showKnowledgeIndex } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findEmbedder, toEmbedder } from './embedder.repository.ts';

export const showEmbedder =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const [[row], { index }] = await Promise.all([
      database.lookUp(context, (sql) => findEmbedder(sql, context.storeId)),
      rpc.call(showKnowledgeIndex, {}, context),
    ]);
    return { embedder: row ? toEmbedder(row) : null, index };
  };
