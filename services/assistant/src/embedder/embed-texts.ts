import type { embedTexts as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { openEmbedderCredentials } from '../models/credentials.ts';
import { ModelFailure } from '../models/model-failure.ts';
import { embedWithSdk } from '../models/sdk-model.ts';
import { type EmbedderRow, findEmbedder } from './embedder.repository.ts';

/** Time for the answer to travel back before the caller's deadline. */
const answerMs = 500;

export const embedTexts =
  ({ database, vault, egress }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { embedder_id, texts } }) => {
    const { storeId } = context;
    const [row] = await database.lookUp(context, (sql) => findEmbedder(sql, storeId));
    if (row?.id !== embedder_id) return { vectors: null, failure: 'not_connected', retry_after_seconds: null };
    try {
      const connection = { url: row.url, model: row.model, apiKey: keyOf(row) };
      const timeoutMs = Math.max(context.deadline - Date.now() - answerMs, 1);
      const embedded = await embedWithSdk(connection, egress.forStore(storeId), texts, timeoutMs);
      return { vectors: toVectors(embedded, texts.length), failure: null, retry_after_seconds: null };
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      // The failure names no text, so it can be logged.
      context.log.warn({ store_id: storeId, failure: error.message }, 'the embedder of a store gave no vectors');
      return { vectors: null, failure: error.kind, retry_after_seconds: error.retryAfterSeconds ?? null };
    }

    function keyOf(embedder: EmbedderRow): string | undefined {
      try {
        return openEmbedderCredentials(vault, storeId, embedder)?.api_key;
      } catch {
        throw new ModelFailure('unavailable', 'the key of the embedder cannot be decrypted');
      }
    }
  };

const mostDimensions = 4096;

/** Pure. @throws ModelFailure `malformed` unless each text has a vector of the same length that points somewhere. */
function toVectors(embedded: readonly (readonly number[])[], texts: number): string[] {
  const dimensions = embedded[0]?.length ?? 0;
  const fits = (vector: readonly number[]) =>
    vector.length === dimensions &&
    // As a float32, which is the form of the answer.
    vector.every((value) => Number.isFinite(Math.fround(value))) &&
    vector.some((value) => Math.fround(value) !== 0);
  if (embedded.length !== texts || dimensions > mostDimensions || !embedded.every(fits)) {
    throw new ModelFailure('malformed', 'the vectors of the embedder cannot be used');
  }
  return embedded.map((vector) => Buffer.from(Float32Array.from(vector).buffer).toString('base64'));
}
