import type { Operation, ReplyOf, RequestOf } from '@mostrador/contracts';
import { listApiKeys, Uuid } from '@mostrador/contracts';
import { compile } from '@mostrador/kit/rpc/validate';
import { Command } from 'commander';
import { UsageError } from './exit.ts';
import type { Platform } from './platform.ts';
import type { Terminal } from './terminal.ts';

/** What every command works with. */
export type Admin = { readonly platform: Platform; readonly terminal: Terminal };

/** A command that prints one result: JSON with `--json`, else what `people` makes of it. */
export function verb(name: string, description: string, examples: readonly string[]): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print the result as JSON, and errors as JSON on standard error')
    .addHelpText('after', `\n${exampleText(examples)}`);
}

/** The examples at the end of a help page. */
export const exampleText = (examples: readonly string[]): string =>
  `Examples:\n${examples.map((example) => `  $ npm run admin -- ${example}`).join('\n')}`;

/** Prints a result for a script or for a person. */
export function printResult<T>(
  admin: Admin,
  options: { json?: boolean },
  result: T,
  people: (result: T) => string,
): void {
  admin.terminal.print(options.json ? JSON.stringify(result, null, 2) : people(result));
}

const validateStore = compile(Uuid);

/** Calls an operation that belongs to the store of `--store`. */
export async function callForStore<O extends Operation>(
  admin: Admin,
  operation: O,
  request: RequestOf<O>,
  store: string | undefined,
): Promise<ReplyOf<O>> {
  return admin.platform.call(operation, request, await existingStore(admin, store));
}

/** The store of `--store`, once the platform has said that it exists. */
export async function existingStore(admin: Admin, store: string | undefined): Promise<string> {
  if (store === undefined) throw new UsageError(['--store is required']);
  if (validateStore(store).length > 0)
    throw new UsageError(["--store must be a store's id, a UUID: `store list` shows them"]);
  // The owners of other resources do not know which stores exist; the gateway does, and answers store_not_found here.
  await admin.platform.call(listApiKeys, { body: { store_id: store } });
  return store;
}
