import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Operation, RequestOf } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { validateRequest } from '@mostrador/kit/rpc/validate';
import { UsageError } from './exit.ts';
import { shown } from './terminal.ts';

type Fault = { readonly pointer?: string; readonly detail: string };

const greatestFileBytes = 256 * 1024;

/** Parses a JSON file. Throws UsageError when the file is unreadable, larger than 256 KiB or not JSON. */
export async function readRequestFile(file: string): Promise<unknown> {
  const name = shown(basename(file));
  try {
    if ((await stat(file)).size > greatestFileBytes) throw new UsageError([`${name} is larger than 256 KiB`]);
    return JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new UsageError([`${name} ${why}: ${shown((error as Error).message)}`]);
  }
}

/**
 * Validates and sends the content of a file. Throws UsageError that names every fault by its place in the file, whether
 * this command or the service finds it. `within` is the member of the request's body that holds the content. `whole`
 * names the content in a fault that has no place. `params` are those of the operation's path.
 */
export async function sendRequestFile<O extends Operation, T>(
  operation: O,
  body: Record<string, unknown> | unknown,
  options: {
    file: string;
    within: string;
    whole: string;
    params?: Record<string, string>;
    send: (request: RequestOf<O>) => Promise<T>;
  },
): Promise<T> {
  const { file, within, whole, params, send } = options;
  const request = { body, ...(params && { params }) } as RequestOf<O>;
  const faults = validateRequest(operation, request);
  if (faults.length > 0) throw inFile({ file, within, whole }, faults);
  try {
    return await send(request);
  } catch (error) {
    const refused = error instanceof AppError && error.code === 'validation_failed' ? error.members?.errors : undefined;
    throw Array.isArray(refused) ? inFile({ file, within, whole }, refused) : error;
  }
}

type Where = { file: string; within: string; whole: string };

const inFile = ({ file, within, whole }: Where, faults: readonly Fault[]): UsageError =>
  new UsageError(
    faults.map(
      ({ pointer = '#', detail }) => `${shown(basename(file))}: ${placeOf(pointer, within) || whole} ${detail}`,
    ),
  );

/** Turns `#/condition_groups/0/conditions` into `condition_groups[0].conditions`. */
function placeOf(pointer: string, within: string): string {
  const path = decodeURIComponent(pointer).slice(1).split('/').slice(1);
  const inside = within !== '' && path[0] === within ? path.slice(1) : path;
  const place = inside
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^[0-9]+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
  return shown(place);
}
