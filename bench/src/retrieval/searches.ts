import type { TestEmbedder } from '@mostrador/testing/providers/embeddings/embedder';
import { createRandom } from '@mostrador/testing/random';
import type { LoadResult } from '../shared/load/job.ts';
import type { startLoad } from '../shared/load/start-load.ts';
import type { Platform } from '../shared/platform.ts';
import { fillPassages } from './fill.ts';
import { createWriter } from './text.ts';

export const questionCount = 500;
const seed = 20261128;

/** A store full of passages, and searches of it. */
export type Searches = {
  readonly platform: Platform;
  readonly storeId: string;
  readonly questions: readonly string[];
  /** The questions in turn, by this number of callers. */
  run(concurrency: number, durationMs: number): Promise<LoadResult>;
};

type Parts = {
  readonly platform: Platform;
  readonly embedder: TestEmbedder;
  readonly load: Awaited<ReturnType<typeof startLoad>>;
};

/** Creates a store with the embedder and this number of passages, the same ones on every platform. */
export async function openSearches({ platform, embedder, load }: Parts, passages: number): Promise<Searches> {
  const { id: storeId, key } = await platform.newStore({});
  const headers = { 'X-API-Key': key };
  const random = createRandom(seed);
  const writer = createWriter(random);
  await platform.admin(`embedder connect --store ${storeId} --url ${embedder.url} --model use`);
  await fillPassages(platform.databaseUrl, storeId, { passages, writer, random });
  const questions = Array.from({ length: questionCount }, writer.question);
  const paths = questions.map((q) => `/integrations/v1/knowledge/search?limit=5&q=${encodeURIComponent(q)}`);
  await untilVectorsAreUsed(`${platform.origin}${paths[0]}`, headers);
  return {
    ...{ platform, storeId, questions },
    run: (concurrency, durationMs) =>
      load({
        ...{ origin: platform.origin, method: 'GET', headers, expectedStatus: 200, concurrency },
        ...{ paths, warmUpMs: 1_000, durationMs },
      }),
  };
}

/** The first question loads the client of the embedder. Throws when the searches have words alone. */
async function untilVectorsAreUsed(url: string, headers: Record<string, string>): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt++) {
    const { vectors } = (await (await fetch(url, { headers })).json()) as { vectors: string };
    if (vectors === 'used') return;
  }
  throw new Error('the embedder does not answer in time: the machine is too busy');
}
