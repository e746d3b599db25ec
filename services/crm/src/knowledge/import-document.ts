import { getStoreSettings, importDocument as operation, type ReplyOf } from '@mostrador/contracts';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { wakeIndex } from '../knowledge-vectors/vectors.repository.ts';
import { findDocumentId, saveDocument } from './document.repository.ts';
import { documentImported, newDocument } from './document.ts';
import { replacePassages } from './passage.repository.ts';
import { splitPassages } from './split-passages.ts';

export const importDocument =
  ({ database, relay, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const imported = await withIdempotency<typeof operation, ReplyOf<typeof operation>>({
      database,
      context,
      operation,
      run: async (commit) => {
        const storeLocale = body.locale ?? (await rpc.call(getStoreSettings, {}, context)).locale;
        const document = newDocument(body, storeLocale);
        const { title, is_active } = document;
        // A search skips inactive documents, so they need no passages.
        const passages = is_active ? splitPassages(document.content) : [];
        return await commit(async (sql) => {
          const shown = { title, is_active, passages: passages.length };
          const saved = await saveDocument(sql, storeId, document);
          if (!saved) {
            const id = await findDocumentId(sql, storeId, document.source_name);
            return { result: 'unchanged', id, ...shown };
          }
          const { id, created, language } = saved;
          // First its row, as those who save vectors do.
          await wakeIndex(sql, storeId);
          await replacePassages(sql, storeId, { id, title, language }, passages);
          await appendOutbox(sql, storeId, documentImported({ ...document, ...saved }));
          return { result: created ? 'created' : 'changed', id, ...shown };
        });
      },
      toReply: (outcome) => outcome,
    });
    relay.nudge();
    return imported;
  };
