import { searchKnowledge as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { embed } from '../knowledge-vectors/embed.ts';
import { fuse, type Ranks } from '../knowledge-vectors/fuse.ts';
import { type PackedVector, similarityOf } from '../knowledge-vectors/vector.ts';
import { findIndex, findNearest } from '../knowledge-vectors/vectors.repository.ts';
import { matchingWords, searchPassages } from './passage.repository.ts';
import { highlight, readPhrase, wordsOf } from './phrase.ts';

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
type Ranked = { readonly item: Found; readonly ranks: Ranks; readonly score: number };

export const searchKnowledge =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const phrase = readPhrase(query.q);
    const limit = query.limit ?? defaultLimit;
    // What is quoted or excluded is meant as words.
    const [index] = phrase.exact ? [] : await database.lookUp(context, (sql) => findIndex(sql, storeId));
    const deadline = Math.min(context.deadline, Date.now() + embedMs);
    const [byWords, asked] = await Promise.all([
      database.read(context, (sql) => searchPassages(sql, storeId, phrase, index ? mostRanked : limit)),
      index && embed(rpc, { ...context, deadline }, index.embedder_id, [query.q]),
    ]);
    const vector = asked && 'vectors' in asked ? asked.vectors[0] : undefined;

    return await database.read(context, async (sql) => {
      let ranked: Ranked[] = byWords.map((item, place) => ({
        ...{ item, ranks: { full_text: place + 1, vectors: null }, score: item.score },
      }));
      if (index && vector) {
        const near = await findNearest(sql, storeId, index.embedder_id, vector.bits, mostNear);
        ranked = fuse<Found>(byWords, nearestFirst(near, vector).slice(0, mostRanked), keyOf);
      }
      const best = ranked.slice(0, limit);
      const marked = new Map<string, Set<string>>();
      for (const [language, words] of wordsByLanguage(best)) {
        marked.set(language, new Set(await matchingWords(sql, phrase, language, words)));
      }
      return {
        data: best.map(({ item: { document_id: id, title, content: text, language }, ranks, score }) => ({
          document: { id, title },
          text,
          highlight: highlight(text, marked.get(language) ?? new Set()),
          score,
          ranks,
        })),
        vectors: vector ? 'used' : index ? 'unavailable' : 'not_used',
      };
    });
  };

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
