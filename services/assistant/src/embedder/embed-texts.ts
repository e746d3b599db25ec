import type { ModelFailureKind, embedTexts as operation } from '@mostrador/contracts';
import { dayMs } from '@mostrador/hours/local-days';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { StoreScope } from '@mostrador/kit/database/database';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { untaken } from '../models/call-model.ts';
import { openEmbedderCredentials } from '../models/credentials.ts';
import { ModelFailure } from '../models/model-failure.ts';
import { embedWithSdk } from '../models/sdk-model.ts';
import { highestCostOfTexts, limitsOf } from '../prices/budget.ts';
import { type Reservation, reserveMoney, settleMoney } from '../prices/model-day.repository.ts';
import { reachBudget } from '../prices/reach-budget.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { type EmbedderRow, findEmbedder } from './embedder.repository.ts';

/** Time for the answer to travel back before the caller's deadline. */
const answerMs = 500;
/** Until the budget may have room again because it was changed. */
const laterSeconds = 600;
const settleMs = 2_000;

/** Until the next day in UTC, at most `laterSeconds`. Pure. */
export const untilRoomSeconds = (now: number): number =>
  Math.min(Math.ceil((dayMs - (now % dayMs)) / 1000), laterSeconds);

export const embedTexts =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { embedder_id, texts } }) => {
    const { database, prices, onEmbedderCall } = dependencies;
    const { storeId } = context;
    const [row] = await database.lookUp(context, (sql) => findEmbedder(sql, storeId));
    if (row?.id !== embedder_id) return { vectors: null, failure: 'not_connected', retry_after_seconds: null };
    const model = `embedder/${row.model}`;
    const micros = highestCostOfTexts(prices, model, texts, new Date());
    // What has no price needs no transaction.
    const reserved = micros > 0 ? await reserve(dependencies, context, micros) : undefined;
    if (micros > 0 && !reserved) {
      onEmbedderCall({ result: 'budget_reached' });
      return { vectors: null, failure: 'budget_reached', retry_after_seconds: untilRoomSeconds(Date.now()) };
    }
    const begunAt = performance.now();
    const outcome = await ask(dependencies, context, row, texts);
    const { result, tokens } = outcome;
    onEmbedderCall({ result, tokens, latencyMs: performance.now() - begunAt });
    const cost = untaken.has(result) ? 0 : prices?.costOf(model, { inputTokens: tokens }, new Date());
    if (reserved && cost !== undefined) {
      // Also when the deadline of the caller has passed.
      const scope = { storeId, deadline: Date.now() + settleMs };
      await database.write(scope, async (sql) => {
        const [settled] = await settleMoney(sql, storeId, reserved, cost);
        if (settled?.mayReach) await reachBudget(sql, storeId, prices);
      });
    }
    return result === 'answered'
      ? { vectors: outcome.vectors, failure: null, retry_after_seconds: null }
      : { vectors: null, failure: result, retry_after_seconds: outcome.retryAfterSeconds ?? null };
  };

/** A refusal does not mark the day as used up, because the AI answers without vectors too. */
const reserve = ({ database }: Dependencies, scope: StoreScope, micros: number): Promise<Reservation | undefined> =>
  database.write(scope, async (sql) => {
    const { mostMicros } = limitsOf(await findSettings(sql, scope.storeId));
    return await reserveMoney(sql, scope.storeId, mostMicros, micros);
  });

type Outcome =
  | { readonly result: 'answered'; readonly vectors: string[]; readonly tokens: number | undefined }
  | { readonly result: ModelFailureKind; readonly tokens?: undefined; readonly retryAfterSeconds: number | undefined };

async function ask(
  { vault, egress }: Dependencies,
  { storeId, deadline, log }: StoreContext,
  row: EmbedderRow,
  texts: readonly string[],
): Promise<Outcome> {
  try {
    const connection = { url: row.url, model: row.model, apiKey: keyOf(vault, storeId, row) };
    const timeoutMs = Math.max(deadline - Date.now() - answerMs, 1);
    const { embeddings, tokens } = await embedWithSdk(connection, egress.forStore(storeId), texts, timeoutMs);
    return { result: 'answered', vectors: toVectors(embeddings, texts.length), tokens };
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    // The failure names no text, so it can be logged.
    log.warn({ store_id: storeId, failure: error.message }, 'the embedder of a store gave no vectors');
    return { result: error.kind, retryAfterSeconds: error.retryAfterSeconds };
  }
}

function keyOf(vault: Vault, storeId: string, embedder: EmbedderRow): string | undefined {
  try {
    return openEmbedderCredentials(vault, storeId, embedder)?.api_key;
  } catch {
    throw new ModelFailure('unavailable', 'the key of the embedder cannot be decrypted');
  }
}

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
