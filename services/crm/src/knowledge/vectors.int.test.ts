import { randomUUID } from 'node:crypto';
import { importDocument, type RequestOf, searchKnowledge } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';
import { startEmbedding } from '../../test/embedding.ts';

let crm: TestCrm;
let embedding: Awaited<ReturnType<typeof startEmbedding>>;
beforeAll(async () => {
  crm = await startCrm();
  // Cars are one meaning, and all else is another.
  embedding = await startEmbedding(crm, async (texts) =>
    texts.map((text) => (/carro|garagem/i.test(text) ? [1, 0.1] : [-1, 1])),
  );
});
beforeEach(() => embedding.before(undefined));
afterAll(async () => {
  await embedding?.stop();
  await crm?.stop();
});

type Body = RequestOf<typeof importDocument>['body'];
const put = (storeId: string, title: string, content: string, more: Partial<Body> = {}) =>
  crm.rpc.call(importDocument, { body: { title, content, locale: 'pt-BR', ...more } }, testContext({ storeId }));
const search = (storeId: string, q: string) =>
  crm.rpc.call(searchKnowledge, { query: { q } }, testContext({ storeId }));
const titles = async (storeId: string, q: string) =>
  (await search(storeId, q)).data.map(({ document }) => document.title);

/** A store with an embedder and a document that shares no word with the question. */
async function storeWithVectors(): Promise<string> {
  const storeId = randomUUID();
  await put(storeId, 'Estacionamento', 'A garagem ao lado é gratuita na primeira hora.');
  await embedding.connect(storeId, randomUUID());
  await embedding.index();
  return storeId;
}
const question = 'onde deixo o carro?';

test('a passage has its rank in each ranking, and an exact search has no vectors', async () => {
  const storeId = await storeWithVectors();
  await put(storeId, 'Carro', 'Vendemos um carro de brinquedo.');
  const found = await search(storeId, question);
  expect(found.vectors).toBe('used');
  expect(found.data.map(({ document, ranks }) => [document.title, ranks])).toEqual([
    // It has no vector yet, and is found all the same.
    ['Carro', { full_text: 1, vectors: null }],
    ['Estacionamento', { full_text: null, vectors: 1 }],
  ]);
  expect(await search(storeId, '"garagem"')).toMatchObject({
    ...{ vectors: 'not_used', data: [{ ranks: { full_text: 1, vectors: null } }] },
  });
});

test('deleted document still answers: one that is deleted or switched off answers no more at once', async () => {
  const storeId = await storeWithVectors();
  expect(await titles(storeId, question)).toEqual(['Estacionamento']);
  await put(storeId, 'Estacionamento', 'A garagem ao lado é gratuita na primeira hora.', { is_active: false });
  expect(await titles(storeId, question)).toEqual([]);
  await put(storeId, 'Estacionamento', 'A garagem ao lado é gratuita na primeira hora.');
  await embedding.index();
  expect(await titles(storeId, question)).toEqual(['Estacionamento']);
  await crm.adminSql`delete from knowledge_documents where store_id = ${storeId}`;
  expect(await titles(storeId, question)).toEqual([]);
});

test('re-index fails, knowledge lost: one that fails loses none, is tried again, and then finds by meaning again', async () => {
  const storeId = await storeWithVectors();
  embedding.before(async () => ({ failure: 'unavailable' }));
  await embedding.connect(storeId, randomUUID());
  await embedding.index();
  expect(await embedding.show(storeId)).toMatchObject({ passages: 1, indexed: 0, failure: 'unavailable', attempts: 1 });
  expect(await search(storeId, 'a garagem')).toMatchObject({
    ...{ vectors: 'unavailable', data: [{ document: { title: 'Estacionamento' } }] },
  });
  embedding.before(undefined);
  await crm.adminSql`
    update knowledge_indexes set next_attempt_at = now() - interval '1 second' where store_id = ${storeId}`;
  await embedding.index();
  expect(await embedding.show(storeId)).toEqual({
    passages: 1,
    indexed: 1,
    failure: null,
    attempts: 0,
    next_attempt_at: null,
  });
  expect(await titles(storeId, question)).toEqual(['Estacionamento']);
});

const makeDue = (...storeIds: string[]) => crm.adminSql`
  update knowledge_indexes set next_attempt_at = now() - interval '1 second' where store_id = any(${storeIds})`;

test('a passage that the embedder does not take holds up no other passage of the store', async () => {
  const storeId = randomUUID();
  for (const title of ['Um', 'Dois', 'Veneno', 'Quatro']) await put(storeId, title, `Sobre ${title}.`);
  embedding.before(async (texts) =>
    texts.some((text) => text.includes('Veneno')) ? { failure: 'malformed' } : undefined,
  );
  await embedding.connect(storeId, randomUUID());
  const runs = 6;
  for (let run = 0; run < runs; run += 1) {
    await makeDue(storeId);
    await embedding.index();
  }
  expect(await embedding.show(storeId)).toMatchObject({ passages: 4, indexed: 3, failure: 'malformed' });
  await embedding.connect(storeId, null);
});

test('while the budget of the day is used up passages wait, none counts as failed, and then all are embedded at once', async () => {
  const storeId = randomUUID();
  for (const title of ['Um', 'Dois', 'Três']) await put(storeId, title, `Sobre ${title}.`);
  embedding.before(async () => ({ failure: 'budget_reached', retry_after_seconds: 600 }));
  await embedding.connect(storeId, randomUUID());
  for (let run = 0; run < 2; run += 1) {
    await makeDue(storeId);
    await embedding.index();
  }
  const waiting = await embedding.show(storeId);
  expect(waiting).toMatchObject({ passages: 3, indexed: 0, failure: 'budget_reached', attempts: 0 });
  expect(Date.parse(waiting?.next_attempt_at ?? '')).toBeGreaterThan(Date.now() + 300_000);
  expect(
    await crm.adminSql`select 1 from knowledge_passages where store_id = ${storeId} and embed_failed_at is not null`,
  ).toHaveLength(0);
  let asked = 0;
  embedding.before(async () => {
    asked += 1;
    return undefined;
  });
  await makeDue(storeId);
  await embedding.index();
  expect(asked).toBe(1);
  expect(await embedding.show(storeId)).toMatchObject({ indexed: 3, failure: null });
  await embedding.connect(storeId, null);
});

test('stores with many passages hold up no other store', async () => {
  const stores = Array.from({ length: 5 }, () => randomUUID());
  // As many as one process serves at once have more passages than a batch.
  const long = Array.from({ length: 40 }, () => 'Um texto. '.repeat(150)).join('\n\n');
  for (const [place, storeId] of stores.entries()) {
    await (place < 4 ? put(storeId, 'Longo', long) : put(storeId, 'Curto', 'Um texto.'));
    await embedding.connect(storeId, randomUUID());
  }
  const asked: (string | undefined)[] = [];
  embedding.before(async ([text]) => void asked.push(text?.slice(0, 5)));
  await embedding.index();
  expect(asked.length).toBeGreaterThan(8);
  // Each store has had one batch before another has its second.
  expect(asked.slice(0, 5)).toContain('Curto');
});

test('another tenant’s passages are never found, even with the same embedder', async () => {
  const [storeId, other] = [await storeWithVectors(), randomUUID()];
  const [row] = await crm.adminSql`select embedder_id from knowledge_indexes where store_id = ${storeId}`;
  await embedding.connect(other, row?.embedder_id);
  await embedding.index();
  expect(await search(other, question)).toEqual({ data: [], vectors: 'used' });
});

test('a text that is replaced while it is embedded gets no vector of the old one', async () => {
  const storeId = randomUUID();
  await put(storeId, 'Vagas', 'A garagem ao lado é gratuita.');
  await embedding.connect(storeId, randomUUID());
  let asked = 0;
  embedding.before(async () => {
    asked += 1;
    if (asked === 1) await put(storeId, 'Vagas', 'Contratamos cabeleireiros.');
    // The first vectors were not saved.
    else expect(await embedding.show(storeId)).toMatchObject({ passages: 1, indexed: 0 });
    return undefined;
  });
  await embedding.index();
  expect(asked).toBe(2);
  expect(await embedding.show(storeId)).toMatchObject({ indexed: 1, next_attempt_at: null });
});

test('without its embedder a store has no vectors', async () => {
  const storeId = await storeWithVectors();
  await embedding.connect(storeId, null);
  expect(await embedding.show(storeId)).toBeNull();
  expect(await search(storeId, question)).toEqual({ data: [], vectors: 'not_used' });
  expect(await crm.adminSql`select 1 from passage_vectors where store_id = ${storeId}`).toHaveLength(0);
});
