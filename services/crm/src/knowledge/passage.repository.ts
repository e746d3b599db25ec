import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { fold } from './folding.ts';
import type { Phrase } from './phrase.ts';

export type FoundPassage = {
  readonly document_id: string;
  readonly title: string;
  readonly content: string;
  readonly language: string;
  readonly score: number;
};

/** Replaces the passages of the document. */
export async function replacePassages(
  sql: TransactionSql,
  storeId: string,
  document: { readonly id: string; readonly title: string; readonly language: string },
  passages: readonly string[],
): Promise<void> {
  const { id, language } = document;
  await sql`delete from knowledge_passages where store_id = ${storeId} and document_id = ${id}`;
  // Node makes the lower case too, because PostgreSQL's depends on the locale of the database.
  await sql`
    insert into knowledge_passages (store_id, document_id, position, content, folded, language, lexemes, has_title)
    select ${storeId}, ${id}, place, content, folded, ${language}::text,
      ${wordsOf(sql, document)}, true
    from unnest(
      ${[...passages]}::text[], ${passages.map((passage) => passage.toLowerCase())}::text[], ${passages.map(fold)}::text[]
    ) with ordinality given (content, lowered, folded, place)`;
}

/**
 * SQL expression: the words of a passage, from its columns `lowered` and `folded`. The words of the title count for each
 * passage: they often name what the text only gives, such as *payment*.
 */
function wordsOf(sql: Sql, { title, language }: { readonly title: string; readonly language: string }) {
  const indexed = (text: ReturnType<typeof sql>) => sql`to_tsvector(${language}::text::regconfig, ${text})`;
  return sql`
    ${indexed(sql`lowered`)} || ${indexed(sql`folded`)}
      || ${indexed(sql`${title.toLowerCase()}::text`)} || ${indexed(sql`${fold(title)}::text`)}`;
}

/** Documents whose passages lack the words of the title. For the system role. */
export const findWithoutTitle = (sql: Sql, limit: number) => sql<{ store_id: string; document_id: string }[]>`
  select distinct store_id, document_id from knowledge_passages where not has_title limit ${limit}`;

/** Adds the words of the title to the passages of a document that lack them. Each passage keeps its vector. */
export async function addTitle(sql: TransactionSql, storeId: string, documentId: string): Promise<void> {
  const rows = await sql<{ position: number; content: string; title: string; language: string }[]>`
    select p.position, p.content, d.title, p.language
    from knowledge_passages p join knowledge_documents d on d.store_id = p.store_id and d.id = p.document_id
    where p.store_id = ${storeId} and p.document_id = ${documentId} and not p.has_title for update of p`;
  const [first] = rows;
  if (!first) return;
  await sql`
    update knowledge_passages p set lexemes = ${wordsOf(sql, first)}, has_title = true
    from unnest(
      ${rows.map(({ position }) => position)}::int[], ${rows.map(({ content }) => content.toLowerCase())}::text[]
    ) given (place, lowered)
    where p.store_id = ${storeId} and p.document_id = ${documentId} and p.position = given.place`;
}

/** The best passages of the store's active documents, the best first. */
export async function searchPassages(
  sql: Sql,
  storeId: string,
  { asked, folded, words, exact }: Phrase,
  limit: number,
): Promise<FoundPassage[]> {
  return await sql<FoundPassage[]>`
    select * from search_passages(
      ${storeId}, ${asked}, ${folded}, ${words.map((word) => word.asked)}::text[],
      ${words.map((word) => word.folded)}::text[], ${exact}, ${limit})
    order by score desc
    limit ${limit}`;
}

/** The words that match the phrase in this language. */
export async function matchingWords(
  sql: Sql,
  { asked, folded, words: queryWords, exact }: Phrase,
  language: string,
  words: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ place: number }[]>`
    select matching_words as place from matching_words(
      ${asked}, ${folded}, ${queryWords.map((word) => word.folded)}::text[], ${exact}, ${language},
      ${words.map((word) => word.toLowerCase())}::text[], ${words.map(fold)}::text[])`;
  return rows.map(({ place }) => words[place - 1] ?? '');
}
