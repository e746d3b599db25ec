import { open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { greatestDocumentBytes } from '@mostrador/contracts';
import { DocumentFault, type Extracted } from './document-fault.ts';
import { extensions } from './formats.ts';

export type ExtractionRequest = { readonly extension: string; readonly bytes: Uint8Array };
export type ExtractionAnswer = Extracted | { readonly fault: string };

/** A file as a knowledge document. */
export type DocumentFile = { readonly name: string; readonly title: string; readonly content: string };

/** The time and the memory that reading one file may take. */
export type ReadingLimits = { readonly timeMs: number; readonly memoryBytes: number };

const greatestFileBytes = 20 * 1024 * 1024;
const usualLimits: ReadingLimits = { timeMs: 60_000, memoryBytes: 1024 ** 3 };

/** Reads a file's text. Throws DocumentFault when the file is missing, unreadable, empty or too large. */
export async function readDocument(file: string, limits: ReadingLimits = usualLimits): Promise<DocumentFile> {
  const name = basename(file).normalize('NFC');
  const extension = extname(name).toLowerCase();
  if (!extensions.includes(extension)) {
    throw new DocumentFault(`has an unsupported extension; supported are ${extensions.join(', ')}`);
  }
  const bytes = await readBytes(file);
  if (bytes.length === 0) throw new DocumentFault('is empty');
  const { title, text } = await extractApart({ extension, bytes }, limits);
  const content = text.trim();
  if (content === '') throw new DocumentFault('has no text in it');
  if (Buffer.byteLength(content) > greatestDocumentBytes) {
    throw new DocumentFault(`has more than ${greatestDocumentBytes / 1024} KiB of text; split it`);
  }
  const titled = [...(title ?? name.slice(0, -extension.length))].slice(0, 200).join('').trim();
  return { name, title: titled || name, content };
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await assertFile(await handle.stat());
      if (size > greatestFileBytes) throw new DocumentFault(`is larger than ${greatestFileBytes / 1024 ** 2} MiB`);
      // Copies the bytes out of Node's buffer, so that the worker gets a plain Uint8Array.
      return new Uint8Array(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof DocumentFault) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    throw new DocumentFault(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? 'unknown error'})`);
  }
}

async function assertFile<S extends { isFile(): boolean }>(stats: S): Promise<S> {
  if (!stats.isFile()) throw new DocumentFault('is not a file');
  return stats;
}

/**
 * Extracts the text in a worker thread that can be terminated. Files are untrusted: a few hundred bytes can unpack to
 * gigabytes, or keep a parser busy for hours.
 */
function extractApart(request: ExtractionRequest, { timeMs, memoryBytes }: ReadingLimits): Promise<Extracted> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./extract-worker.ts', import.meta.url), {
      workerData: request,
      // Keeps the messages of the libraries off the terminal.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryBytes / 1024 ** 2 },
    });
    const atStart = process.memoryUsage.rss();
    const memory = setInterval(() => {
      if (process.memoryUsage.rss() - atStart > memoryBytes) end('takes too much memory to read');
    }, 50);
    const time = setTimeout(() => end(`takes longer than ${timeMs / 1000} s to read`), timeMs);
    const settle = (work: () => void) => {
      clearInterval(memory);
      clearTimeout(time);
      work();
      void worker.terminate();
    };
    const end = (fault: string) => settle(() => reject(new DocumentFault(fault)));
    worker.once('message', (answer: ExtractionAnswer) =>
      'fault' in answer ? end(answer.fault) : settle(() => resolve(answer)),
    );
    worker.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'takes too much memory to read' : 'cannot be read'),
    );
    worker.once('exit', () => end('cannot be read'));
  });
}
