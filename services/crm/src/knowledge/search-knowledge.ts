import { searchKnowledge as operation, type ReplyOf } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { embed } from '../knowledge-vectors/embed.ts';
import { fuse, type Ranks } from '../knowledge-vectors/fuse.ts';
import { type PackedVector, similarityOf } from '../knowledge-vectors/vector.ts';
import { findIndex, findNearest } from '../knowledge-vectors/vectors.repository.ts';
import {
  type FoundPassage,
  findPassages,
  matchingWords,
  type PassagePlace,
  type RankedPassage,
  rankPassages,
} from './passage.repository.ts';
import { highlight, type Phrase, readPhrase, wordsOf } from './phrase.ts';

const defaultLimit = operation.request.query.properties.limit.default as number;
/** Passages of each ranking that are joined. */
const mostRanked = 50;
/** Passages whose bits are nearest, and whose bytes are then compared. */
const mostNear = 100;
/** Longer than embedders take, and short enough for a search that then has full text alone. */
const embedMs = 2_000;

type Answer = ReplyOf<typeof operation>;
type Ranked = { readonly item: PassagePlace; readonly ranks: Ranks; readonly score: number };
type Best = Omit<Ranked, 'item'> & { readonly passage: FoundPassage };

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
    const answerOf = async (
      sql: Sql,
      byWords: readonly RankedPassage[],
      ranked: readonly Ranked[],
      vectors: Answer['vectors'],
    ): Promise<Answer> => {
      const best = await readPassages(sql, storeId, ranked.slice(0, limit));
      const misspelled = new Set(byWords.flatMap((passage) => passage.misspelled));
      return { data: await markWords(sql, phrase, [...misspelled], best), vectors };
    };

    const found = await database.read(context, async (sql) => {
      // What is quoted or excluded is meant as words.
      const finding = phrase.exact ? [] : findIndex(sql, storeId);
      const [index, byWords] = await Promise.all([
        // The embedder works while PostgreSQL does. The search by words holds the connection, and the embedder does not.
        Promise.resolve(finding).then(([row]) => row && { ...row, asking: ask(row.embedder_id) }),
        rankPassages(sql, storeId, phrase, mostRanked),
      ]);
      return index ? { index, byWords } : await answerOf(sql, byWords, byWords.map(rankedByWords), 'not_used');
    });
    if (!('index' in found)) return found;

    const { index, byWords } = found;
    const asked = await index.asking;
    const vector = 'vectors' in asked ? asked.vectors[0] : undefined;
    return await database.read(context, async (sql) => {
      if (!vector) return await answerOf(sql, byWords, byWords.map(rankedByWords), 'unavailable');
      const near = await findNearest(sql, storeId, index.embedder_id, vector.bits, mostNear);
      const byVectors = nearestFirst(near, vector).slice(0, mostRanked);
      return await answerOf(sql, byWords, fuse<PassagePlace>(byWords, byVectors, keyOf), 'used');
    });
  };

const rankedByWords = (item: RankedPassage, place: number): Ranked => ({
  ...{ item, ranks: { full_text: place + 1, vectors: null }, score: item.score },
});

/** Reads what was ranked, in its order. Only what is shown is read: two rankings are a hundred passages. */
async function readPassages(sql: Sql, storeId: string, ranked: readonly Ranked[]): Promise<Best[]> {
  const passages = await findPassages(
    sql,
    storeId,
    ranked.map(({ item }) => item),
  );
  const byKey = new Map(passages.map((passage) => [keyOf(passage), passage]));
  return ranked.flatMap(({ item, ...rank }) => {
    const passage = byKey.get(keyOf(item));
    return passage ? [{ ...rank, passage }] : [];
  });
}

async function markWords(
  sql: Sql,
  phrase: Phrase,
  misspelled: readonly string[],
  best: readonly Best[],
): Promise<Answer['data']> {
  const marked = new Map<string, Set<string>>();
  for (const [language, words] of wordsByLanguage(best)) {
    marked.set(language, new Set(await matchingWords(sql, phrase, misspelled, language, words)));
  }
  return best.map(({ passage: { document_id: id, title, content: text, language }, ranks, score }) => ({
    document: { id, title },
    text,
    highlight: highlight(text, marked.get(language) ?? new Set()),
    score,
    ranks,
  }));
}

const keyOf = ({ document_id, position }: PassagePlace): string => `${document_id} ${position}`;

function nearestFirst<T extends { readonly embedding: Buffer }>(near: readonly T[], { embedding }: PackedVector): T[] {
  return near
    .map((passage) => ({ passage, similarity: similarityOf(passage.embedding, embedding) }))
    .sort((one, other) => other.similarity - one.similarity)
    .map(({ passage }) => passage);
}

function wordsByLanguage(best: readonly Best[]): [language: string, words: string[]][] {
  const byLanguage = Map.groupBy(best, ({ passage }) => passage.language);
  return [...byLanguage].map(([language, found]) => [
    language,
    [...new Set(found.flatMap(({ passage }) => wordsOf(passage.content)))],
  ]);
}
