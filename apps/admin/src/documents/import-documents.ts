import { basename } from 'node:path';
import { importDocument, type ReplyOf } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Command } from 'commander';
import { type Admin, existingStore, printResult, verb } from '../admin.ts';
import { Ended, exitCodes } from '../exit.ts';
import { shown } from '../terminal.ts';
import { DocumentFault } from './document-fault.ts';
import { extensions } from './formats.ts';
import { readDocument } from './read-document.ts';

type Outcome =
  | ({ readonly file: string } & ReplyOf<typeof importDocument>)
  | { readonly file: string; readonly result: 'failed'; readonly detail: string };

type Options = { store?: string; inactive?: boolean; json?: boolean };

export const importDocumentsCommand = (admin: Admin): Command =>
  verb('import', "Import files into the store's knowledge base", [
    'document import --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 prices.pdf opening-hours.md',
  ])
    .argument('<files...>', `the files: ${extensions.join(', ')}`)
    .option('--store <id>', 'the store (required)')
    .option('--inactive', 'store the documents, but do not use them for answers until an import without this option')
    .addHelpText(
      'after',
      `
A file with the name of an existing document replaces it. A file may have up to 20 MiB and 128 KiB of text. When the
command cannot read a file, it says why, imports the others and exits with code 1.`,
    )
    .action(async (files: string[], options: Options) => {
      // The language in which the words of a document are indexed.
      const { id: store, locale } = await existingStore(admin, options.store);
      const outcomes: Outcome[] = [];
      for (const [place, file] of files.entries()) {
        const outcome = await importOne(admin, file, files.slice(0, place), { store, locale, ...options });
        outcomes.push(outcome);
        if (!options.json) tell(admin, outcome);
      }
      if (options.json) printResult(admin, options, { documents: outcomes }, () => '');
      if (outcomes.some(({ result }) => result === 'failed')) throw new Ended(exitCodes.refused);
    });

async function importOne(
  admin: Admin,
  file: string,
  earlier: readonly string[],
  { store, locale, inactive }: Options & { store: string; locale: string },
): Promise<Outcome> {
  try {
    if (earlier.some((other) => basename(other) === basename(file))) {
      throw new DocumentFault('has the same name as an earlier file of this import; rename one of them');
    }
    const body = { ...(await readDocument(file)), locale, is_active: !inactive };
    return { file, ...(await admin.platform.call(importDocument, { body }, store)) };
  } catch (error) {
    if (error instanceof DocumentFault) return { file, result: 'failed', detail: error.message };
    // A validation error concerns only this file. Any other error would affect the other files too.
    if (error instanceof AppError && error.code === 'validation_failed') {
      return { file, result: 'failed', detail: error.detail };
    }
    throw error;
  }
}

function tell(admin: Admin, outcome: Outcome): void {
  const file = shown(outcome.file);
  if (outcome.result === 'failed') admin.terminal.note(`error: ${file} ${shown(outcome.detail)}`);
  else admin.terminal.print(`${outcome.result.padEnd(9)}  ${outcome.id}  ${file}  (${shown(outcome.title)})`);
}
