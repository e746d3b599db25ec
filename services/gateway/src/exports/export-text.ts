import { setTimeout as pause } from 'node:timers/promises';
import type { ForwardedReply } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { ExportWriter } from './export-writer.ts';

/** The number of rows of the first page. The sizes of its rows say how many the next one gets. */
export const firstRows = 50;
const leastRows = 5;
/** A page should have about this size. So long rows do not make an export need more memory. */
const pageBytes = 256 * 1024;
const retryMs = 500;

export type ExportSource = {
  readonly first: ForwardedReply;
  /** Reads the page behind the cursor. */
  readonly read: (page: { cursor: string; limit: number }) => Promise<ForwardedReply>;
  /** Throws when the caller may not have the next page. */
  readonly checkAccess: () => Promise<void>;
  /** The most rows that a page may have. */
  readonly mostRows: number;
};

/**
 * The text of an export, page by page. It reads one page ahead of the client: the next one comes from the service while
 * the client takes this one. Between pages nothing is held but the page that was read.
 */
export async function* exportText(
  { first, read, checkAccess, mostRows }: ExportSource,
  { beginning, write }: ExportWriter,
): AsyncGenerator<string> {
  for (let [page, start] = [first, beginning]; ; start = '') {
    const { data } = JSON.parse(Buffer.from(page.body).toString('utf8'));
    const cursor = page.headers.nextCursor;
    const limit = rowsOfNext(data.length, page.body.byteLength, mostRows);
    const next = cursor === undefined ? undefined : read({ cursor, limit });
    // Nothing awaits it when the client leaves.
    next?.catch(() => {});
    const text = start + write(data);
    if (text !== '') yield text;
    if (next === undefined) return;
    page = await next;
    await checkAccess();
  }
}

const rowsOfNext = (rows: number, bytes: number, mostRows: number): number =>
  Math.min(mostRows, Math.max(leastRows, Math.floor((rows * pageBytes) / bytes)));

/**
 * Repeats what only reads, and failed because a process was away for a moment, such as a service that restarts.
 *
 * @param work gets the moment until which it may take, in milliseconds since the epoch
 */
export async function persistently<T>(
  work: (deadline: number) => Promise<T>,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      return await work(deadline);
    } catch (error) {
      const mayPass = error instanceof AppError && error.status > 500;
      if (!mayPass || signal.aborted || Date.now() + retryMs >= deadline) throw error;
    }
    await pause(retryMs, undefined, { signal });
  }
}
