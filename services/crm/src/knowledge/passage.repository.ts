import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { fold } from './folding.ts';
import type { Phrase } from './phrase.ts';

/** Which passage it is. */
export type PassagePlace = { readonly document_id: string; readonly position: number };

export type RankedPassage = PassagePlace & {
  readonly score: number;
  /** Words of the phrase that no passage has in any form. */
  readonly misspelled: readonly string[];
};

export type FoundPassage = PassagePlace & {
  readonly title: string;
  readonly content: string;
  readonly language: string;
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

/** The query for the best passages of the store's active documents, the best first. */
export const rankPassages = (sql: Sql, storeId: string, { asked, folded, words, exact }: Phrase, limit: number) => sql<
  RankedPassage[]
>`
  select * from rank_passages(
    ${storeId}, ${asked}, ${folded}, ${words.map((word) => word.asked)}::text[],
    ${words.map((word) => word.folded)}::text[], ${exact}, ${limit})
  order by score desc
  limit ${limit}`;

/** The query for these passages, in any order. One whose document was just replaced may be missing. */
export const findPassages = (sql: Sql, storeId: string, places: readonly PassagePlace[]) => sql<FoundPassage[]>`
  select p.document_id, p.position, d.title, p.content, p.language
  from unnest(
    ${places.map(({ document_id }) => document_id)}::uuid[], ${places.map(({ position }) => position)}::int[]
  ) given (document_id, position)
  join knowledge_passages p
    on p.store_id = ${storeId} and p.document_id = given.document_id and p.position = given.position
  join knowledge_documents d on d.store_id = ${storeId} and d.id = p.document_id and d.is_active`;

/** The words that match the phrase in this language, or are like one of the misspelled words. */
export async function matchingWords(
  sql: Sql,
  { asked, folded, exact }: Phrase,
  misspelled: readonly string[],
  language: string,
  words: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ place: number }[]>`
    select matching_words as place from matching_words(
      ${asked}, ${folded}, ${[...misspelled]}::text[], ${exact}, ${language},
      ${words.map((word) => word.toLowerCase())}::text[], ${words.map(fold)}::text[])`;
  return rows.map(({ place }) => words[place - 1] ?? '');
}
