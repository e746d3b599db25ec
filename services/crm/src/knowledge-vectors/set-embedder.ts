import type { setKnowledgeEmbedder as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { deleteIndex, findIndex, saveIndex, wakeIndex } from './vectors.repository.ts';

export const setKnowledgeEmbedder =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { embedder_id } }) => {
    const { storeId } = context;
    await database.write(context, async (sql) => {
      if (embedder_id === null) return await deleteIndex(sql, storeId);
      const [index] = await findIndex(sql, storeId);
      // The same one has another key: it is asked at once.
      if (index?.embedder_id === embedder_id) await wakeIndex(sql, storeId);
      else await saveIndex(sql, storeId, embedder_id);
    });
    return { done: true };
  };
