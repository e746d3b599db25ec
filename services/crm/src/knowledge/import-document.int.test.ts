import { randomUUID } from 'node:crypto';
import { getDocument, getStoreSettings, importDocument, listDocuments, type RequestOf } from '@mostrador/contracts';
import { createRpcServer, type RpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
let accounts: RpcServer;
beforeAll(async () => {
  crm = await startCrm();
  accounts = createRpcServer({
    nats: crm.nats.nats,
    service: 'accounts',
    operations: { getStoreSettings },
    handlers: { getStoreSettings: async () => ({ timezone: 'UTC', locale: 'es-MX' }) },
    log: silentLog(),
  });
  await crm.nats.nats.flush();
});
afterAll(async () => {
  await accounts?.drain();
  await crm?.stop();
});

type Body = RequestOf<typeof importDocument>['body'];
const body: Body = { name: 'precos.md', title: 'Preços', content: 'Corte: R$ 80.', locale: 'pt-BR' };
const put = (storeId: string, more: Partial<Body> = {}) =>
  crm.rpc.call(importDocument, { body: { ...body, ...more } }, testContext({ storeId }));
const read = (storeId: string, documentId: string) =>
  crm.rpc.call(getDocument, { params: { documentId } }, testContext({ storeId }));
const list = (storeId: string, query: RequestOf<typeof listDocuments>['query'] = {}) =>
  crm.rpc.call(listDocuments, { query }, testContext({ storeId }));
const passages = (documentId: string) => crm.adminSql`
  select content, language from knowledge_passages where document_id = ${documentId} order by position`;

test("an imported document has its full text, and passages in the store's language", async () => {
  const storeId = randomUUID();
  const made = await put(storeId);
  expect(made).toEqual({ result: 'created', id: expect.any(String), title: 'Preços', is_active: true, passages: 1 });
  const { id, title } = made;
  const created_at = expect.any(String);
  expect(await read(storeId, id)).toEqual({
    id,
    name: body.name,
    title,
    content: body.content,
    is_active: true,
    created_at,
  });
  expect(await passages(id)).toEqual([{ content: body.content, language: 'portuguese' }]);
  const events = await crm.adminSql`select topic, data from outbox where store_id = ${storeId}`;
  expect(events).toEqual([{ topic: 'crm.document.imported', data: { document_id: id, is_active: true } }]);
});

test('a second import with the same name changes the document and all of its passages', async () => {
  const storeId = randomUUID();
  const { id } = await put(storeId, { content: `${'Muito texto aqui. '.repeat(200)}` });
  expect((await passages(id)).length).toBeGreaterThan(3);
  const before = await read(storeId, id);
  expect(await put(storeId, { content: 'Agora pouco.' })).toMatchObject({ result: 'changed', id, passages: 1 });
  expect(await read(storeId, id)).toEqual({ ...before, content: 'Agora pouco.' });
  expect(await passages(id)).toMatchObject([{ content: 'Agora pouco.' }]);
  expect(await list(storeId)).toMatchObject({ total: 1 });
});

test('an identical import changes nothing and writes no event; another title, locale or flag is a change', async () => {
  const storeId = randomUUID();
  const { id } = await put(storeId);
  const document = await read(storeId, id);
  expect(await put(storeId)).toMatchObject({ result: 'unchanged', id });
  expect(await crm.feed(storeId)).toEqual([
    { type: 'document.imported', entity_id: id, data: { document_id: id, is_active: true, object: document } },
  ]);
  expect(await crm.adminSql`select 1 from outbox where store_id = ${storeId}`).toHaveLength(1);
  expect(await put(storeId, { title: 'Tabela' })).toMatchObject({ result: 'changed', id });
  expect(await put(storeId, { title: 'Tabela', locale: 'es' })).toMatchObject({ result: 'changed', id });
  expect(await passages(id)).toMatchObject([{ language: 'spanish' }]);
  expect(await put(storeId, { title: 'Tabela', locale: 'es', is_active: false })).toMatchObject({ result: 'changed' });
  expect(await read(storeId, id)).toMatchObject({ is_active: false });
});

test('concurrent imports with one name make one document', async () => {
  const storeId = randomUUID();
  const results = await Promise.all([1, 2, 3, 4].map((version) => put(storeId, { content: `Versão ${version}.` })));
  expect(new Set(results.map(({ id }) => id)).size).toBe(1);
  expect(results.filter(({ result }) => result === 'created')).toHaveLength(1);
  expect(await passages(results[0]?.id ?? '')).toHaveLength(1);
});

test('line ends, accents and control characters are normalized', async () => {
  const storeId = randomUUID();
  const { id } = await put(storeId, { content: '\ufeffUm\r\ndois\rtres\u0007\u0085 Sa\u0303o\tPaulo \n' });
  expect(await read(storeId, id)).toMatchObject({ content: 'Um\ndois\ntres\n São\tPaulo' });
});

test('two stores can each have a document with the same name', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const { id } = await put(one);
  expect(await put(other)).toMatchObject({ result: 'created' });
  await expect(read(other, id)).rejects.toMatchObject({ code: 'document_not_found' });
  await expect(read(one, '7')).rejects.toMatchObject({ code: 'validation_failed' });
});

test('without a name its title names it, and without a locale it is in the language of the store', async () => {
  const storeId = randomUUID();
  const post = (content: string) =>
    crm.rpc.call(importDocument, { body: { title: 'Precios', content } }, testContext({ storeId }));
  const { id } = await post('Corte: 80.');
  expect(await passages(id)).toMatchObject([{ language: 'spanish' }]);
  expect(await post('Corte: 90.')).toMatchObject({ result: 'changed', id });
});

test('an edit without a locale keeps the language of the document', async () => {
  const storeId = randomUUID();
  const save = (changed: object) =>
    crm.rpc.call(
      importDocument,
      { body: { title: 'Prices', content: 'A cut: 80.', ...changed } },
      testContext({ storeId }),
    );
  const { id } = await save({ locale: 'en' });
  expect(await save({})).toMatchObject({ result: 'unchanged', id });
  expect(await save({ content: 'A cut: 90.' })).toMatchObject({ result: 'changed', id });
  expect(await passages(id)).toEqual([{ content: 'A cut: 90.', language: 'english' }]);
  expect(await save({ content: 'A cut: 90.', locale: 'pt-BR' })).toMatchObject({ result: 'changed' });
  expect(await passages(id)).toMatchObject([{ language: 'portuguese' }]);
});

test('a repeated request with its key adds the document once, and answers as the first time', async () => {
  const storeId = randomUUID();
  const post = () => crm.rpc.call(importDocument, { body }, testContext({ storeId, idempotencyKey: 'k' }));
  const first = await post();
  await put(storeId, { content: 'Changed meanwhile.' });
  expect(await post()).toEqual(first);
  expect(await read(storeId, first.id)).toMatchObject({ content: 'Changed meanwhile.' });
});

test('exactly 128 KiB of text are accepted, and fifty such documents fit into one page', async () => {
  const storeId = randomUUID();
  const line = 'Uma linha de texto com algumas palavras.\n';
  const whole = line.repeat(4000).slice(0, 128 * 1024 - 1);
  const { id } = await put(storeId, { content: `${whole}x` });
  await crm.adminSql`
    insert into knowledge_documents (store_id, source_name, title, content, language)
    select store_id, n || '.txt', title, content, language
    from knowledge_documents, generate_series(2, 50) as n where id = ${id}`;
  const page = await list(storeId, { limit: 50 });
  expect(page.data.map(({ content }) => Buffer.byteLength(content))).toEqual(Array(50).fill(128 * 1024));
  await expect(put(storeId, { content: `${whole}é` })).rejects.toMatchObject({ code: 'validation_failed' });
});

test('the list has twenty documents to a page, newest first, and a cursor to the rest', async () => {
  const storeId = randomUUID();
  const ids: string[] = [];
  for (let index = 0; index < 25; index += 1) ids.unshift((await put(storeId, { name: `${index}.txt` })).id);
  const page = async (query: RequestOf<typeof listDocuments>['query']) => {
    const { body: bytes, headers } = await crm.rpc.forward(listDocuments, { query }, testContext({ storeId }));
    return { ...JSON.parse(Buffer.from(bytes).toString()), cursor: headers.nextCursor };
  };
  const first = await page({});
  expect(first).toMatchObject({ total: 25, page: 1, limit: 20 });
  const second = await page({ cursor: first.cursor });
  expect(second).toMatchObject({ total: 25, page: 2, limit: 20, cursor: undefined });
  expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(ids);
  expect((await page({ page: 2 })).data).toEqual(second.data);
  await expect(page({ limit: 51 })).rejects.toMatchObject({ code: 'validation_failed' });
  await expect(page({ cursor: first.cursor, page: 2 })).rejects.toMatchObject({ code: 'validation_failed' });
  await expect(page({ cursor: 'x' })).rejects.toMatchObject({ code: 'validation_failed' });
});

test.each<[string, Partial<Body>, string]>([
  ['no text', { content: ' \u0001\n ' }, '#/content'],
  ['NUL', { content: 'a\u0000b' }, '#/content'],
  ['half of a surrogate pair', { content: 'a\ud800b' }, '#/content'],
  ['a text of quotation marks only, which is twice as long in JSON', { content: '"'.repeat(100_000) }, '#/content'],
  ['no title', { title: ' ' }, '#/title'],
  ['an invalid locale', { locale: 'x_y' }, '#/locale'],
])('%s is rejected', async (_, wrong, pointer) => {
  await expect(put(randomUUID(), wrong)).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ pointer }] },
  });
});
