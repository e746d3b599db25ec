import { type disconnectEmbedder as operation, setKnowledgeEmbedder } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { deleteEmbedder } from './embedder.repository.ts';

export const disconnectEmbedder =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    // First the vectors: a repeat finishes it.
    await rpc.call(setKnowledgeEmbedder, { body: { embedder_id: null } }, context);
    await database.write(context, (sql) => deleteEmbedder(sql, context.storeId));
    return { done: true };
  };
