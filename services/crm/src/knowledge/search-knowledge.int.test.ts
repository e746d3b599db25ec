import { randomUUID } from 'node:crypto';
import { importDocument, type Passage, type RequestOf, searchKnowledge } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';
import { addTitles } from './add-titles.ts';

let crm: TestCrm;
const store = randomUUID();
const documents: Record<string, string> = {
  Serviços: 'Fazemos colorações e cortes femininos.\n\nA hidratação dura uma hora e custa R$ 120.',
  Horários: 'Abrimos de terça a sábado, das 9h às 18h. Aos domingos não abrimos.',
  Pagamento: 'Aceitamos Pix, cartão de crédito e dinheiro. <script>alert("x")</script> & parcelamos em 3 vezes.',
};

beforeAll(async () => {
  crm = await startCrm();
  for (const [title, content] of Object.entries(documents)) await put(store, title, content);
});
afterAll(() => crm?.stop());

const put = (
  storeId: string,
  title: string,
  content: string,
  more: Partial<RequestOf<typeof importDocument>['body']> = {},
) =>
  crm.rpc.call(
    importDocument,
    { body: { name: title, title, content, locale: 'pt-BR', ...more } },
    testContext({ storeId }),
  );
const search = async (q: string, { storeId = store, limit }: { storeId?: string; limit?: number } = {}) =>
  (await crm.rpc.call(searchKnowledge, { query: limit ? { q, limit } : { q } }, testContext({ storeId }))).data;
const titles = (passages: readonly Passage[]) => passages.map(({ document }) => document.title);

test('a question finds the passage that answers it, with its document, score and matching words', async () => {
  const [best] = await search('Em que domingo nós abrimos?');
  expect(best).toMatchObject({
    document: { id: expect.any(String), title: 'Horários' },
    text: documents.Horários,
    highlight:
      '<mark>Abrimos</mark> de terça a sábado, das 9h às 18h. Aos <mark>domingos</mark> não <mark>abrimos</mark>.',
  });
  expect(best?.score).toBeGreaterThan(0);
  expect(best?.score).toBeLessThanOrEqual(1);
});

test.each([
  ['another form of the word', 'coloração', 'Serviços', 'colorações'],
  ['no accents', 'hidratacao', 'Serviços', 'hidratação'],
  ['capitals', 'HIDRATAÇÃO', 'Serviços', 'hidratação'],
  ['a misspelling', 'hidrtaçao', 'Serviços', 'hidratação'],
  ['the singular without its accent', 'cartao', 'Pagamento', 'cartão'],
])('%s finds the word and marks it', async (_, q, title, marked) => {
  const [best] = await search(q);
  expect(best?.document.title).toBe(title);
  expect(best?.highlight).toContain(`<mark>${marked}</mark>`);
});

test('a passage with more of the words ranks higher', async () => {
  const storeId = randomUUID();
  await put(storeId, 'one', 'Gatos. Gatos e gatos, só gatos.');
  await put(storeId, 'both', 'Gatos e cachorros convivem bem.');
  const found = await search('gatos cachorros', { storeId });
  expect(titles(found)).toEqual(['both', 'one']);
  expect(found[0]?.score).toBeGreaterThan(found[1]?.score ?? 1);
  expect(await search('gatos cachorros', { storeId, limit: 1 })).toHaveLength(1);
});

test('of many passages that have one of the words, those with most of them are found first', async () => {
  const storeId = randomUUID();
  const words = ['gato', 'cachorro', 'pato', 'peixe', 'cavalo'];
  // Each passage has the words of its bits. 25 have four of them, 5 have all.
  const passages = Array.from({ length: 31 * 5 }, (_, index) => (index % 31) + 1).map((bits) =>
    words.filter((__, place) => bits & (1 << place)).join(' '),
  );
  const { id } = await put(storeId, 'Bichos', 'Bichos.');
  await crm.adminSql`
    insert into knowledge_passages (store_id, document_id, position, content, folded, language, lexemes, has_title)
    select ${storeId}, ${id}, place + 1, content, content, 'portuguese', to_tsvector('portuguese', content), true
    from unnest(${passages}::text[]) with ordinality given (content, place)`;
  const counts = passages.map((text) => text.split(' ').length).sort((one, other) => other - one);
  const found = await search(words.join(' '), { storeId, limit: 50 });
  expect(found.map(({ text }) => text.split(' ').length)).toEqual(counts.slice(0, 50));
  const rare = await search(`zebra ${words[0]}`, { storeId, limit: 50 });
  expect(rare).toHaveLength(50);
  expect(rare.every(({ text }) => text.includes('gato'))).toBe(true);
});

test('a word that is spelled right marks no similar one', async () => {
  const storeId = randomUUID();
  await put(storeId, 'one', 'Temos cabeleireiro e cabeleira.');
  const marked = async (q: string) =>
    (await search(q, { storeId })).flatMap(({ highlight }) =>
      [...highlight.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, word]) => word),
    );
  expect(await marked('cabeleireiros')).toEqual(['cabeleireiro']);
  expect(await marked('cabeleirero')).toEqual(['cabeleireiro', 'cabeleira']);
});

test('quotes, OR and minus work as in web search', async () => {
  expect(titles(await search('"cortes femininos"'))).toEqual(['Serviços']);
  expect(await search('"femininos cortes"')).toEqual([]);
  expect(titles(await search('abrimos OR pix')).sort()).toEqual(['Horários', 'Pagamento']);
  expect(titles(await search('pix -crédito'))).toEqual([]);
});

test('markup of a document is escaped', async () => {
  const [best] = await search('pix alert');
  expect(best?.highlight).toContain('&lt;script&gt;<mark>alert</mark>(&quot;x&quot;)&lt;/script&gt; &amp;');
  expect(best?.text).toBe(documents.Pagamento);
});

test('a search without a match, or with only stop words or punctuation, finds nothing', async () => {
  for (const q of ['xyzzy', 'de a o', '?!', "'; drop table leads --", 'a:* & !b | (c', '""', '-"', '\\']) {
    expect(await search(q)).toEqual([]);
  }
});

test("a search finds no document of another store, even if the SQL function gets that store's id", async () => {
  expect(await search('domingos', { storeId: randomUUID() })).toEqual([]);
  const context = testContext();
  // The previous version has the second one.
  for (const name of ['rank_passages', 'search_passages']) {
    const found = await crm.database.read(
      context,
      (sql) =>
        sql`select * from ${sql(name)}(${store}, 'domingos', 'domingos', array['domingos'], array['domingos'], false, 10)`,
    );
    expect(found).toEqual([]);
  }
  expect(await crm.database.read(context, (sql) => sql`select 1 from knowledge_passages`)).toHaveLength(0);
});

test('an inactive document is not found until it is active again', async () => {
  const storeId = randomUUID();
  await put(storeId, 'doc', 'Gatos.', { is_active: false });
  expect(await search('gatos', { storeId })).toEqual([]);
  await put(storeId, 'doc', 'Gatos.');
  expect(await search('gatos', { storeId })).toHaveLength(1);
});

test('passages of an earlier version get the words of the title, and keep the others', async () => {
  const storeId = randomUUID();
  await put(storeId, 'Estacionamento', 'Fica atrás da loja.');
  await crm.adminSql`
    update knowledge_passages set has_title = false, lexemes = to_tsvector('portuguese', content) where store_id = ${storeId}`;
  expect(await search('estacionamento', { storeId })).toEqual([]);
  await addTitles(crm, new AbortController().signal);
  expect(titles(await search('estacionamento', { storeId }))).toEqual(['Estacionamento']);
  expect(await search('atras', { storeId })).toHaveLength(1);
});

test('each document is searched in its own language', async () => {
  const storeId = randomUUID();
  await put(storeId, 'pt', 'Corremos todos os dias.');
  await put(storeId, 'en', 'We were running yesterday.', { locale: 'en' });
  expect(titles(await search('correr', { storeId }))).toEqual(['pt']);
  expect(titles(await search('runs', { storeId }))).toEqual(['en']);
});

test('a search reads its own store through the indexes', async () => {
  const { id } = await put(store, 'Gatos', 'Gatos.');
  await crm.adminSql`
    insert into knowledge_passages (store_id, document_id, position, content, folded, language, lexemes, has_title)
    select store_id, document_id, place, content, repeat('texto qualquer ', 50), language, to_tsvector('simple', 'word' || place), true
    from knowledge_passages, generate_series(2, 5000) place where document_id = ${id}`;
  await crm.adminSql`analyze knowledge_passages`;
  const plan = async (condition: string) => {
    const rows = await crm.adminSql.begin(async (sql) => {
      await sql`set local enable_seqscan = off`; // as in the function
      await sql`set local role crm_owner`;
      return sql.unsafe(`explain select from crm.knowledge_passages where ${condition}`);
    });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const byWords = await plan(`store_id = '${store}' and lexemes @@ 'word7'::tsquery`);
  expect(byWords).toMatch(/Index Cond: \(\(store_id = .* AND \(lexemes @@/);
  const byLikeness = await plan(
    `store_id::text = '${store}' and folded operator(extensions.%>) any ('{domingos,gatos}')`,
  );
  expect(byLikeness).toMatch(/Index Cond: \(\(\(store_id\)::text = .* AND \(folded .*%>/);
});

test.each<[string, Record<string, unknown>]>([
  ['no q', {}],
  ['an empty q', { q: '  ' }],
  ['a q that is too long', { q: 'a'.repeat(501) }],
  ['a limit that is too high', { q: 'a', limit: 51 }],
  ['an unknown parameter', { q: 'a', page: 1 }],
])('%s is rejected', async (_, query) => {
  const searching = crm.rpc.call(searchKnowledge, { query: query as { q: string } }, testContext());
  await expect(searching).rejects.toMatchObject({ code: 'validation_failed' });
});
