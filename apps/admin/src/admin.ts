import type { Operation, ReplyOf, RequestOf, StoreRecord } from '@mostrador/contracts';
import { listStores, Uuid } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { compile } from '@mostrador/kit/schema/compile';
import { Command } from 'commander';
import { UsageError } from './exit.ts';
import type { Platform } from './platform.ts';
import type { Terminal } from './terminal.ts';

/** The dependencies of every command. */
export type Admin = {
  readonly platform: Platform;
  readonly terminal: Terminal;
  /** For the commands that reach the servers of a deployment themselves. */
  readonly environment: NodeJS.ProcessEnv;
};

/** A subcommand with the option `--json` and with examples on its help page. */
export function verb(name: string, description: string, examples: readonly string[]): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print the result as JSON, and errors as JSON on standard error')
    .addHelpText('after', `\n${exampleText(examples)}`);
}

/** How the command is called here: from a clone by npm, otherwise as docs/operations/deploy.md names it. */
export const programName = process.env.npm_lifecycle_event === 'admin' ? 'npm run admin --' : 'mostrador';

/** The examples at the end of a help page. */
export const exampleText = (examples: readonly string[]): string =>
  `Examples:\n${examples.map((example) => `  $ ${programName} ${example}`).join('\n')}`;

/** Prints a result: as JSON with `--json`, otherwise as the text that `people` returns. */
export function printResult<T>(
  admin: Admin,
  options: { json?: boolean },
  result: T,
  people: (result: T) => string,
): void {
  admin.terminal.print(options.json ? JSON.stringify(result, null, 2) : people(result));
}

const validateStore = compile(Uuid);

/** Calls an operation for the store of `--store`. Throws as `existingStore` does. */
export async function callForStore<O extends Operation>(
  admin: Admin,
  operation: O,
  request: RequestOf<O>,
  store: string | undefined,
): Promise<ReplyOf<O>> {
  const { id } = await existingStore(admin, store);
  return admin.platform.call(operation, request, id);
}

/** Returns the store of `--store`. Throws UsageError when it is no UUID, `store_not_found` when it is unknown. */
export async function existingStore(admin: Admin, store: string | undefined): Promise<StoreRecord> {
  if (store === undefined) throw new UsageError(['--store is required']);
  if (validateStore(store).length > 0)
    throw new UsageError(['--store must be the UUID of a store; `store list` shows the ids']);
  const [found] = (await admin.platform.call(listStores, { body: { store_id: store } })).stores;
  if (!found) throw new AppError('store_not_found');
  return found;
}

/** All rows of a list, read page by page. */
export async function allPages<Row>(
  read: (page: { page: number; limit: number }) => Promise<{ data: Row[]; total: number }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const { data, total } = await read({ page, limit: 100 });
    rows.push(...data);
    if (data.length === 0 || rows.length >= total) return rows;
  }
}
