import type { Random } from '@mostrador/testing/random';
import postgres from 'postgres';
import type { createWriter } from './text.ts';

/** Of the Universal Sentence Encoder. */
const dimensions = 512;
const passagesOfDocument = 50;
const batch = 500;

/**
 * Writes passages with vectors as the service does, so that filling does not wait for the embedder. The vectors are random:
 * a search compares all of them, whatever they are.
 */
export async function fillPassages(
  databaseUrl: string,
  storeId: string,
  { passages, writer, random }: { passages: number; writer: ReturnType<typeof createWriter>; random: Random },
): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connection: { search_path: 'crm' } });
  const randomVector = () => Int8Array.from({ length: dimensions }, () => random.below(255) - 127);
  try {
    const documents = await sql<{ id: string }[]>`
      insert into knowledge_documents (store_id, source_name, title, content, language)
      select ${storeId}, n, 'Document ' || n, 'Its text stands in its passages.', 'portuguese'
      from generate_series(1, ${passages / passagesOfDocument}::int) n returning id`;
    for (let first = 0; first < passages; first += batch) {
      const numbers = Array.from({ length: batch }, (_, index) => first + index);
      const rows = {
        documents: numbers.map((n) => documents[Math.floor(n / passagesOfDocument)]?.id ?? ''),
        positions: numbers.map((n) => (n % passagesOfDocument) + 1),
      };
      await sql`
        insert into knowledge_passages (store_id, document_id, position, content, folded, language, lexemes, has_title)
        select ${storeId}, document_id, position, content, content, 'portuguese',
          to_tsvector('portuguese', content) || to_tsvector('portuguese', content), true
        from unnest(${rows.documents}::uuid[], ${rows.positions}::int[], ${numbers.map(writer.paragraph)}::text[])
          given (document_id, position, content)`;
      const vectors = numbers.map(randomVector);
      await sql`
        insert into passage_vectors (store_id, document_id, position, embedder_id, embedding, bits)
        select ${storeId}, document_id, position, i.embedder_id, decode(embedding, 'hex'), bits::bit varying
        from knowledge_indexes i, unnest(
          ${rows.documents}::uuid[], ${rows.positions}::int[],
          ${vectors.map(({ buffer }) => Buffer.from(buffer).toString('hex'))}::text[],
          ${vectors.map((vector) => [...vector].map((value) => (value > 0 ? 1 : 0)).join(''))}::text[]
        ) given (document_id, position, embedding, bits)
        where i.store_id = ${storeId}`;
    }
    // As autovacuum does some minutes later: bits on pages that are visible to all are read from the index alone.
    await sql`vacuum analyze passage_vectors, knowledge_passages`;
  } finally {
    await sql.end();
  }
}
