import { searchKnowledge as operation, type ReplyOf } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { StoreContext } from '@mostrador/kit/rpc/context';
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
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { database } = dependencies;
    const { storeId } = context;
    const phrase = readPhrase(query.q);
    // Side by side, each on a connection of its own: the embedder and the comparison of vectors take as long as the words.
    const [byWords, near] = await Promise.all([
      database.read(context, (sql) => rankPassages(sql, storeId, phrase, mostRanked)),
      // What is quoted or excluded is meant as words.
      phrase.exact ? ('not_used' as const) : rankByVectors(dependencies, context, query.q),
    ]);
    const vectors = typeof near === 'string' ? near : 'used';
    const ranked = typeof near === 'string' ? byWords.map(rankedByWords) : fuse<PassagePlace>(byWords, near, keyOf);
    const misspelled = new Set(byWords.flatMap((passage) => passage.misspelled));
    return await database.read(context, async (sql) => {
      const best = await readPassages(sql, storeId, ranked.slice(0, query.limit ?? defaultLimit));
      const data = await markWords(sql, phrase, [...misspelled], best);
      return { data, vectors };
    });
  };

/** The passages whose vectors are nearest to that of the text, the nearest first, or why there are none. */
async function rankByVectors(
  { database, rpc }: Dependencies,
  context: StoreContext,
  text: string,
): Promise<readonly PassagePlace[] | 'not_used' | 'unavailable'> {
  const { storeId } = context;
  const [index] = await database.lookUp(context, (sql) => findIndex(sql, storeId));
  if (!index) return 'not_used';
  const { embedder_id } = index;
  const deadline = Math.min(context.deadline, Date.now() + embedMs);
  // No connection is held meanwhile.
  const embedded = await embed(rpc, { ...context, deadline }, embedder_id, [text]);
  const vector = 'vectors' in embedded ? embedded.vectors[0] : undefined;
  if (!vector) return 'unavailable';
  const near = await database.read(context, (sql) => findNearest(sql, storeId, embedder_id, vector.bits, mostNear));
  return nearestFirst(near, vector).slice(0, mostRanked);
}

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
