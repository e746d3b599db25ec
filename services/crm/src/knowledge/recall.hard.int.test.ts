import { randomUUID } from 'node:crypto';
import { startEmbedder, type TestEmbedder } from '@mostrador/testing/providers/embeddings/embedder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';
import { startEmbedding } from '../../test/embedding.ts';
import { openGoldShops, recallFloor } from '../../test/gold/gold.ts';

let crm: TestCrm;
let embedder: TestEmbedder;
let embedding: Awaited<ReturnType<typeof startEmbedding>>;
beforeAll(async () => {
  [crm, embedder] = await Promise.all([startCrm(), startEmbedder()]);
  embedding = await startEmbedding(crm, embedder.embed);
});
afterAll(async () => {
  await embedding?.stop();
  await Promise.all([crm?.stop(), embedder?.stop()]);
});

test('with vectors of a real model a search answers most questions of customers, also in another language', async () => {
  const shops = await openGoldShops(crm);
  for (const storeId of shops.storeIds) await embedding.connect(storeId, randomUUID());
  await embedding.index();
  for (const storeId of shops.storeIds) {
    expect(await embedding.show(storeId)).toMatchObject({ passages: 18, indexed: 18, next_attempt_at: null });
  }
  const { missed, ...recall } = await shops.measureRecall();
  expect(recall.same_language, missed.join('\n')).toBeGreaterThanOrEqual(recallFloor.vectors.same_language);
  expect(recall.across, missed.join('\n')).toBeGreaterThanOrEqual(recallFloor.vectors.across);
});
