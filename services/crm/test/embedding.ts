import { embedTexts, type ReplyOf, setKnowledgeEmbedder, showKnowledgeIndex } from '@mostrador/contracts';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { indexDueStores } from '../src/knowledge-vectors/index-passages.ts';
import type { TestCrm } from './crm.ts';

type Failure = Partial<ReplyOf<typeof embedTexts>>;

/** Serves `embedTexts` in place of the service `assistant`, and does what its operations ask of crm. */
export async function startEmbedding(crm: TestCrm, embed: (texts: readonly string[]) => Promise<readonly number[][]>) {
  let before: ((texts: readonly string[]) => Promise<Failure | undefined>) | undefined;
  const server = createRpcServer({
    ...{ nats: crm.nats.nats, log: silentLog(), service: 'assistant', operations: { embedTexts } },
    handlers: {
      embedTexts: async (_, { body }) => {
        const failed = await before?.(body.texts);
        const vectors = failed ? null : (await embed(body.texts)).map(toBase64);
        return { vectors, failure: null, retry_after_seconds: null, ...failed };
      },
    },
  });
  await crm.nats.nats.flush();
  return {
    /** What happens before the embedder is asked. What it returns is the answer. */
    before(next: typeof before) {
      before = next;
    },
    connect: (storeId: string, embedder_id: string | null) =>
      crm.rpc.call(setKnowledgeEmbedder, { body: { embedder_id } }, testContext({ storeId })),
    show: async (storeId: string) => (await crm.rpc.call(showKnowledgeIndex, {}, testContext({ storeId }))).index,
    /** One run of the job. */
    index: () => indexDueStores(crm, new AbortController().signal),
    stop: () => server.drain(),
  };
}

const toBase64 = (vector: readonly number[]) => Buffer.from(Float32Array.from(vector).buffer).toString('base64');
