import type { importDocument as operation } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findDocumentId, saveDocument } from './document.repository.ts';
import { documentImported, newDocument } from './document.ts';
import { replacePassages } from './passage.repository.ts';
import { splitPassages } from './split-passages.ts';

export const importDocument =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const document = newDocument(body);
    const { title, is_active } = document;
    // A search skips inactive documents, so they need no passages.
    const passages = is_active ? splitPassages(document.content) : [];
    const { result, id } = await database.write(context, async (sql) => {
      const saved = await saveDocument(sql, storeId, document);
      if (!saved) {
        return { result: 'unchanged' as const, id: await findDocumentId(sql, storeId, document.source_name) };
      }
      const { id, created } = saved;
      await replacePassages(sql, storeId, { id, language: document.language }, passages);
      await appendOutbox(sql, storeId, documentImported({ ...document, ...saved }));
      return { result: created ? ('created' as const) : ('changed' as const), id };
    });
    relay.nudge();
    return { result, id, title, is_active, passages: passages.length };
  };
