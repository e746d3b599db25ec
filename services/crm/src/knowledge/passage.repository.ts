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
  const { id, title, language } = document;
  await sql`delete from knowledge_passages where store_id = ${storeId} and document_id = ${id}`;
  // The words of the title count for each passage: they often name what the text only gives, such as *payment*.
  const indexed = (text: ReturnType<typeof sql>) => sql`to_tsvector(${language}::text::regconfig, ${text})`;
  // Node makes the lower case too, because PostgreSQL's depends on the locale of the database.
  await sql`
    insert into knowledge_passages (store_id, document_id, position, content, folded, language, lexemes)
    select ${storeId}, ${id}, place, content, folded, ${language}::text,
      ${indexed(sql`lowered`)} || ${indexed(sql`folded`)}
        || ${indexed(sql`${title.toLowerCase()}::text`)} || ${indexed(sql`${fold(title)}::text`)}
    from unnest(
      ${[...passages]}::text[], ${passages.map((passage) => passage.toLowerCase())}::text[], ${passages.map(fold)}::text[]
    ) with ordinality given (content, lowered, folded, place)`;
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
