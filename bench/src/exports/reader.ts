import { get, type IncomingMessage } from 'node:http';
import { servePeer } from '@mostrador/local-platform/peer';
import postgres from 'postgres';
import { nextPathOf } from '../crm/lists.ts';

// A process that reads all leads of a store, in one of several ways.

export type ReadJob = {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
  readonly storeId: string;
};

export type ReadResult = { readonly rows: number; readonly bytes: number; readonly durationMs: number };

const path = '/integrations/v1/leads?sort=created_at';
let stalled: IncomingMessage | undefined;

async function open({ origin, headers }: ReadJob, accept: string): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${origin}${path}`, { agent: false, headers: { ...headers, accept } })
      .once('response', resolve)
      .once('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`the export answered ${response.statusCode}`);
  return response;
}

/** Counts lines: no value of a row has a line break. */
async function count(chunks: AsyncIterable<Buffer>, otherLines: number): Promise<ReadResult> {
  const sinceMs = performance.now();
  let [rows, bytes] = [-otherLines, 0];
  for await (const chunk of chunks) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
  }
  return { rows, bytes, durationMs: performance.now() - sinceMs };
}

servePeer({
  ndjson: async (job: ReadJob) => count(await open(job, 'application/x-ndjson'), 0),
  csv: async (job: ReadJob) => count(await open(job, 'text/csv'), 1),
  /** Page by page, as a client did before. */
  async walk({ origin, headers }: ReadJob): Promise<ReadResult> {
    const sinceMs = performance.now();
    let [rows, bytes] = [0, 0];
    for (let next: string | undefined = `${path}&limit=200`; next !== undefined; ) {
      const response: Response = await fetch(`${origin}${next}`, { headers });
      if (!response.ok) throw new Error(`a page answered ${response.status}`);
      const text = await response.text();
      bytes += Buffer.byteLength(text);
      rows += (JSON.parse(text) as { data: unknown[] }).data.length;
      next = nextPathOf(response);
    }
    return { rows, bytes, durationMs: performance.now() - sinceMs };
  },
  /** The floor: PostgreSQL writes the rows as text, in the same order. */
  async copy({ databaseUrl, storeId }: ReadJob): Promise<ReadResult> {
    const sql = postgres(databaseUrl, { max: 1 });
    try {
      const stream = await sql`
        copy (
          select id, store_id, name, customer_phone, status, seller_id, external_id, email, tags, metadata,
            interaction_count, ai_paused_until, created_at, updated_at
          from crm.leads where store_id = '${sql.unsafe(storeId)}' order by created_at, id
        ) to stdout`.readable();
      return await count(stream, 0);
    } finally {
      await sql.end();
    }
  },
  /** Begins an export, and takes nothing of it. */
  async stall(job: ReadJob) {
    stalled = await open(job, 'application/x-ndjson');
    stalled.on('error', () => {});
  },
  leave: () => void stalled?.destroy(),
});
