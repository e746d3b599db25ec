import { searchKnowledge as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { type FoundPassage, matchingWords, searchPassages } from './passage.repository.ts';
import { highlight, readPhrase, wordsOf } from './phrase.ts';

const defaultLimit = operation.request.query.properties.limit.default as number;

export const searchKnowledge =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const phrase = readPhrase(query.q);
    return await database.read(context, async (sql) => {
      const found = await searchPassages(sql, context.storeId, phrase, query.limit ?? defaultLimit);
      const marked = new Map<string, Set<string>>();
      for (const [language, words] of wordsByLanguage(found)) {
        marked.set(language, new Set(await matchingWords(sql, phrase, language, words)));
      }
      return {
        data: found.map(({ document_id: id, title, content: text, language, score }) => ({
          document: { id, title },
          text,
          highlight: highlight(text, marked.get(language) ?? new Set()),
          score,
        })),
      };
    });
  };

function wordsByLanguage(found: readonly FoundPassage[]): [language: string, words: string[]][] {
  const byLanguage = Map.groupBy(found, ({ language }) => language);
  return [...byLanguage].map(([language, passages]) => [
    language,
    [...new Set(passages.flatMap(({ content }) => wordsOf(content)))],
  ]);
}
