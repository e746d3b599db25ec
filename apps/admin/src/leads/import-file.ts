import { type ImportedLead, importLeads } from '@mostrador/contracts';
import type { Admin } from '../admin.ts';
import { showProgress } from '../progress.ts';
import { createImportQueues } from './import-queues.ts';
import type { LeadFile } from './lead-file.ts';
import { type PhoneRules, readLead } from './lead-row.ts';
import { createRejectedFile, type RejectedFile, rejectedHeadings } from './rejected-file.ts';
import { createRetrying } from './retrying.ts';

/** The progress of an import. Each finished row counts as created, existing or rejected. */
export type Counts = {
  /** Rows that were read. */
  rows: number;
  created: number;
  /** Rows whose phone or external id is already a lead's of the store, or was in an earlier row of the file. */
  existing: number;
  rejected: number;
  phonesChanged: number;
  /** Requests without an answer. This run may have created some of the leads that count as existing. */
  answersLost: number;
};

export type ImportOptions = PhoneRules & {
  readonly storeId: string;
  /** How long to retry while the platform does not answer. */
  readonly patienceMs: number;
  /** Shows no progress and no notes. */
  readonly quiet: boolean;
  /** After an abort, the import sends no more batches and waits for those in flight. */
  readonly signal: AbortSignal;
};

export type Import = { readonly counts: Counts; readonly rejectedPath: string | null; readonly failure?: unknown };

const queueCount = 4;
const batchSize = 500;
/** A batch takes some tens of milliseconds, so an answer that takes 8 s is lost. */
const batchLimitMs = 8_000;

type Row = {
  readonly line: number;
  readonly phone: string;
  readonly lead: ImportedLead;
  readonly fields: readonly string[];
};

/**
 * Sends a file's rows to the platform and writes the rejected ones to `<file>.rejected.csv`. A failure of the platform
 * does not throw: the result carries it, with the counts so far.
 */
export async function importFile(admin: Admin, file: LeadFile, options: ImportOptions): Promise<Import> {
  const { signal, quiet } = options;
  const counts: Counts = { rows: 0, created: 0, existing: 0, rejected: 0, phonesChanged: 0, answersLost: 0 };
  // In a file of rejected rows, the first columns are the line and the reason.
  const own = (fields: readonly string[]) => (file.columns.guarded ? fields.slice(rejectedHeadings.length) : fields);
  const rejected = await createRejectedFile(`${file.path}.rejected.csv`, own(file.header), file.delimiter);
  const reject = async (line: number, reason: string, fields: readonly string[]) => {
    counts.rejected++;
    await rejected.add(line, reason, own(fields));
  };
  const queues = createImportQueues<Row>({ queueCount, batchSize, send: sender(admin, counts, reject, options) });

  const startedMs = Date.now();
  let bytesRead = 0;
  const describe = () => ({ share: bytesRead / file.bytes, text: describeCounts(counts, Date.now() - startedMs) });
  const progress = quiet ? undefined : showProgress(admin.terminal, describe);
  let failure: unknown;
  try {
    for await (const row of file.rows) {
      if (signal.aborted) break;
      counts.rows++;
      bytesRead = row.bytesRead;
      if ('fault' in row) {
        await rejected.add(row.line, row.fault, [row.broken]);
        counts.rejected++;
        continue;
      }
      const read = readLead(row.fields, file.columns, options);
      if ('fault' in read) {
        await reject(row.line, read.fault, row.fields);
        continue;
      }
      if (read.phoneChanged) counts.phonesChanged++;
      await queues.add({ line: row.line, phone: read.lead.customer_phone, lead: read.lead, fields: row.fields });
    }
    if (!signal.aborted) await queues.finish();
  } catch (error) {
    failure = error;
  }
  await queues.settle();
  progress?.stop();
  await rejected.close();
  return { counts, rejectedPath: closedPath(rejected), failure };
}

const closedPath = ({ count, path }: RejectedFile): string | null => (count > 0 ? path : null);

const refusals = {
  seller_not_found: 'seller_id names no seller of the store',
  seller_inactive: 'seller_id names an inactive seller',
};

function sender(
  { platform, terminal }: Admin,
  counts: Counts,
  reject: (line: number, reason: string, fields: readonly string[]) => Promise<void>,
  { storeId, patienceMs, quiet, signal }: ImportOptions,
) {
  let notedMs = 0;
  const retrying = createRetrying({
    giveUpAfterMs: patienceMs,
    signal,
    onRetry: (error) => {
      if (error.code === 'upstream_timeout') counts.answersLost++;
      if (quiet || Date.now() - notedMs < noteEveryMs) return;
      notedMs = Date.now();
      terminal.redraw('');
      terminal.note(`the platform does not answer (${error.code}); retrying …`);
    },
  });
  return async (batch: readonly Row[]) => {
    const body = { leads: batch.map(({ lead }) => lead) };
    const answer = await retrying(() => platform.call(importLeads, { body }, storeId, batchLimitMs));
    counts.created += answer.created;
    counts.existing += answer.existing;
    for (const { index, code } of answer.refused) {
      const row = batch[index];
      if (row) await reject(row.line, refusals[code], row.fields);
    }
  };
}

const noteEveryMs = 5_000;

const number = (n: number): string => Math.round(n).toLocaleString('en');

function describeCounts({ rows, created, existing, rejected }: Counts, elapsedMs: number): string {
  const perSecond = elapsedMs > 0 ? (rows / elapsedMs) * 1000 : 0;
  return [
    `${number(rows)} rows`,
    `${number(perSecond)} rows/s`,
    `${number(created)} created`,
    `${number(existing)} existing`,
    `${number(rejected)} rejected`,
  ].join('  ');
}
