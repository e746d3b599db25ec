import type { Log } from '@mostrador/kit/process/log';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import type { Dependencies } from '../dependencies.ts';
import { addTitle, findWithoutTitle } from './passage.repository.ts';

type Parts = Pick<Dependencies, 'database' | 'systemDatabase'>;

const limitMs = 20_000;
const documentsAtOnce = 100;

/** Passages of an earlier version do not have the words of their document's title. Each process of the service runs it. */
export const titleJob = (parts: Parts & { readonly log: Log }): Periodic =>
  periodically({
    name: 'knowledge-titles',
    everyMs: 60_000,
    log: parts.log,
    run: (signal) => addTitles(parts, signal),
  });

/** One run of the job: a transaction for each document, until none is left. */
export async function addTitles({ database, systemDatabase }: Parts, signal: AbortSignal): Promise<void> {
  for (let more = true; more && !signal.aborted; ) {
    const found = await systemDatabase.read({ deadline: Date.now() + limitMs }, (sql) =>
      findWithoutTitle(sql, documentsAtOnce),
    );
    more = found.length === documentsAtOnce;
    for (const { store_id: storeId, document_id } of found) {
      if (signal.aborted) return;
      await database.write({ storeId, deadline: Date.now() + limitMs }, (sql) => addTitle(sql, storeId, document_id));
    }
  }
}
