import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import type { DocumentContent, DocumentRow } from './document.ts';

const columns = (sql: Sql) => sql`id, source_name, title, content, is_active, created_at`;

/** A page of documents, newest first. */
export async function listDocuments(
  sql: Sql,
  storeId: string,
  { start, limit }: { start: TimePageStart; limit: number },
): Promise<DocumentRow[]> {
  const after = 'after' in start ? start.after : undefined;
  return await sql<DocumentRow[]>`
    select ${columns(sql)} from knowledge_documents
    where store_id = ${storeId} ${after ? sql`and (created_at, id) < (${after.at}, ${after.id})` : sql``}
    order by created_at desc, id desc
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`;
}

export async function countDocuments(sql: Sql, storeId: string): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from knowledge_documents where store_id = ${storeId}`;
  return row?.total ?? 0;
}

export const findDocument = (sql: Sql, storeId: string, id: string) => sql<DocumentRow[]>`
  select ${columns(sql)} from knowledge_documents where store_id = ${storeId} and id = ${id}`;

export type SavedDocument = Pick<DocumentRow, 'id' | 'created_at'> &
  Pick<DocumentContent, 'language'> & { readonly created: boolean };

/** Creates the document, or changes the one with this name. Undefined if nothing changes. */
export async function saveDocument(
  sql: TransactionSql,
  storeId: string,
  document: DocumentContent,
): Promise<SavedDocument | undefined> {
  const { source_name, title, content, is_active, language, namesLanguage } = document;
  const kept = namesLanguage ? sql`excluded.language` : sql`kept.language`;
  // `xmax` is 0 for an inserted row, but not for an updated one.
  const [row] = await sql<SavedDocument[]>`
    insert into knowledge_documents as kept (store_id, source_name, title, content, is_active, language)
    values (${storeId}, ${source_name}, ${title}, ${content}, ${is_active}, ${language})
    on conflict on constraint knowledge_documents_source do update
      set (title, content, is_active, language, updated_at)
        = (excluded.title, excluded.content, excluded.is_active, ${kept},
           greatest(clock_timestamp(), kept.updated_at))
      where (kept.title, kept.content, kept.is_active, kept.language)
        is distinct from (excluded.title, excluded.content, excluded.is_active, ${kept})
    returning id, created_at, language, xmax = 0 as created`;
  return row;
}

export async function findDocumentId(sql: TransactionSql, storeId: string, sourceName: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id from knowledge_documents where store_id = ${storeId} and source_name = ${sourceName}`;
  return (row as { id: string }).id;
}
