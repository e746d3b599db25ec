import postgres from 'postgres';
import type { LoadResult } from '../shared/load/job.ts';

/** What a search costs in PostgreSQL alone. */
export type PlainSearches = {
  /** The passages with most of the words, and the 100 nearest by their bits, one after the other, for `durationMs`. */
  run(durationMs: number): Promise<Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p99Ms'>>;
  stop(): Promise<void>;
};

/** The two queries of a search as plain SQL, without service, embedder or policies. */
export async function openPlainSearches(
  databaseUrl: string,
  storeId: string,
  questions: readonly string[],
): Promise<PlainSearches> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connection: { search_path: 'crm' } });
  const stored = await sql<{ bits: string }[]>`
    select bits::text from passage_vectors where store_id = ${storeId} limit ${questions.length}`;
  const search = async (turn: number) => {
    const words = (questions[turn % questions.length] as string).replace('?', '').split(' ').join(' | ');
    await sql`
      select document_id, content from knowledge_passages p
      where store_id = ${storeId} and lexemes @@ to_tsquery('portuguese', ${words})
      order by ts_rank(lexemes, to_tsquery('portuguese', ${words})) desc limit 50`;
    await sql`
      select v.document_id, p.content, v.embedding
      from (
        select document_id, position from passage_vectors where store_id = ${storeId}
        order by bit_count(bits # ${stored[turn % stored.length]?.bits ?? ''}::bit varying) limit 100
      ) nearest
      join passage_vectors v using (document_id, position) join knowledge_passages p using (document_id, position)`;
  };
  let turn = 0;
  return {
    async run(durationMs) {
      const latencies: number[] = [];
      const endsAt = performance.now() + durationMs;
      while (performance.now() < endsAt) {
        const begunAt = performance.now();
        await search(turn++);
        latencies.push(performance.now() - begunAt);
      }
      latencies.sort((one, other) => one - other);
      const at = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN;
      return { perSecond: latencies.length / (durationMs / 1000), p50Ms: at(0.5), p99Ms: at(0.99) };
    },
    stop: () => sql.end(),
  };
}
