import { embedTexts } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type PackedVector, packVector } from './vector.ts';

export type Embedded =
  | { readonly vectors: readonly PackedVector[] }
  | { readonly failure: string; readonly retryAfterSeconds?: number | undefined };

/** Asks the embedder once, through the service that has its key. A failure is an answer. */
export async function embed(
  rpc: Pick<RpcClient, 'call'>,
  context: CallContext,
  embedderId: string,
  texts: readonly string[],
): Promise<Embedded> {
  try {
    const body = { embedder_id: embedderId, texts: [...texts] };
    const { vectors, failure, retry_after_seconds } = await rpc.call(embedTexts, { body }, context);
    if (vectors === null) {
      return { failure: failure ?? 'unavailable', retryAfterSeconds: retry_after_seconds ?? undefined };
    }
    return { vectors: vectors.map(packVector) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { failure: error.code };
  }
}
