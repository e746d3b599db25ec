import { searchKnowledge as operation, type ReplyOf } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { embed } from '../knowledge-vectors/embed.ts';
import { fuse, type Ranks } from '../knowledge-vectors/fuse.ts';
import { type PackedVector, similarityOf } from '../knowledge-vectors/vector.ts';
import { findIndex, findNearest } from '../knowledge-vectors/vectors.repository.ts';
import { type FoundPassage, matchingWords, searchPassages } from './passage.repository.ts';
import { highlight, type Phrase, readPhrase, wordsOf } from './phrase.ts';

const defaultLimit = operation.request.query.properties.limit.default as number;
/** Passages of each ranking that are joined. */
const mostRanked = 50;
/** Passages whose bits are nearest, and whose bytes are then compared. */
const mostNear = 100;
/** Longer than embedders take, and short enough for a search that then has full text alone. */
const embedMs = 2_000;

type Found = {
  readonly document_id: string;
  readonly title: string;
  readonly content: string;
  readonly language: string;
};
type Answer = ReplyOf<typeof operation>;
type Ranked = { readonly item: Found; readonly ranks: Ranks; readonly score: number };

export const searchKnowledge =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const phrase = readPhrase(query.q);
    const limit = query.limit ?? defaultLimit;
    const ask = (embedderId: string) => {
      const deadline = Math.min(context.deadline, Date.now() + embedMs);
      const asking = embed(rpc, { ...context, deadline }, embedderId, [query.q]);
      // It is awaited unless the search by words fails.
      asking.catch(() => {});
      return asking;
    };
    const answerOf = (sql: Sql, ranked: readonly Ranked[], vectors: Answer['vectors']): Promise<Answer> =>
      markWords(sql, phrase, ranked.slice(0, limit)).then((data) => ({ data, vectors }));

    const found = await database.read(context, async (sql) => {
      // What is quoted or excluded is meant as words.
      const finding = phrase.exact ? [] : findIndex(sql, storeId);
      const [index, byWords] = await Promise.all([
        // The embedder works while PostgreSQL does. The search by words holds the connection, and the embedder does not.
        Promise.resolve(finding).then(([row]) => row && { ...row, asking: ask(row.embedder_id) }),
        searchPassages(sql, storeId, phrase, mostRanked),
      ]);
      return index ? { index, byWords } : await answerOf(sql, byWords.map(rankedByWords), 'not_used');
    });
    if (!('index' in found)) return found;

    const { index, byWords } = found;
    const asked = await index.asking;
    const vector = 'vectors' in asked ? asked.vectors[0] : undefined;
    return await database.read(context, async (sql) => {
      if (!vector) return await answerOf(sql, byWords.map(rankedByWords), 'unavailable');
      const near = await findNearest(sql, storeId, index.embedder_id, vector.bits, mostNear);
      const byVectors = nearestFirst(near, vector).slice(0, mostRanked);
      return await answerOf(sql, fuse<Found>(byWords, byVectors, keyOf), 'used');
    });
  };

const rankedByWords = (item: FoundPassage, place: number): Ranked => ({
  ...{ item, ranks: { full_text: place + 1, vectors: null }, score: item.score },
});

async function markWords(sql: Sql, phrase: Phrase, best: readonly Ranked[]): Promise<Answer['data']> {
  const marked = new Map<string, Set<string>>();
  for (const [language, words] of wordsByLanguage(best)) {
    marked.set(language, new Set(await matchingWords(sql, phrase, language, words)));
  }
  return best.map(({ item: { document_id: id, title, content: text, language }, ranks, score }) => ({
    document: { id, title },
    text,
    highlight: highlight(text, marked.get(language) ?? new Set()),
    score,
    ranks,
  }));
}

/** Two rankings mean the same passage by its document and its text. */
const keyOf = ({ document_id, content }: Found): string => `${document_id} ${content}`;

function nearestFirst<T extends { readonly embedding: Buffer }>(near: readonly T[], { embedding }: PackedVector): T[] {
  return near
    .map((passage) => ({ passage, similarity: similarityOf(passage.embedding, embedding) }))
    .sort((one, other) => other.similarity - one.similarity)
    .map(({ passage }) => passage);
}

function wordsByLanguage(found: readonly Ranked[]): [language: string, words: string[]][] {
  const byLanguage = Map.groupBy(found, ({ item }) => item.language);
  return [...byLanguage].map(([language, passages]) => [
    language,
    [...new Set(passages.flatMap(({ item }) => wordsOf(item.content)))],
  ]);
}
