import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { deleteNextText } from './deleted-text.repository.ts';

const everyMs = 5_000;
const stepLimitMs = 10_000;
/** The most events that one transaction looks through. */
const window = 10_000;

type Options = { readonly systemDatabase: SystemDatabase; readonly log: Log };

/** Takes the texts of deleted messages from the events that told them. */
export const deletedTextsJob = ({ systemDatabase, log }: Options): Periodic =>
  periodically({
    name: 'texts of deleted messages',
    everyMs,
    log,
    run: (signal) => deleteTexts(systemDatabase, signal),
  });

export async function deleteTexts(database: SystemDatabase, signal?: AbortSignal, most = window): Promise<void> {
  while (!signal?.aborted) {
    if (!(await database.write({ deadline: Date.now() + stepLimitMs }, (sql) => deleteNextText(sql, most)))) return;
  }
}
