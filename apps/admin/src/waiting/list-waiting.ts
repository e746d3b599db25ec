import { type OperatorItem, type OperatorKind, operatorWaitingOperations, waitingReasons } from '@mostrador/contracts';
import { comparePlaces } from '@mostrador/kit/step/waiting';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { wholeNumber } from '../check.ts';
import { Ended, exitCodes, UsageError } from '../exit.ts';
import { shown, table } from '../terminal.ts';
import { kindsOf, kindText, momentBefore, serviceOf } from './waiting-options.ts';
import { isUnavailable, storesWaiting } from './waiting-stores.ts';

type Options = { store?: string; kind?: string; reason?: string; olderThan?: string; limit?: unknown; json?: boolean };
type Item = OperatorItem & { readonly store_id: string };
type Result = { readonly data: readonly Item[]; readonly more: boolean; readonly unavailable: readonly string[] };
type Wanted = { readonly before: string | undefined; readonly reason: string | undefined; readonly limit: number };

const pageSize = 500;
const defaultLimit = 50;
const mostListed = 10_000;

export const listWaitingCommand = (admin: Admin): Command =>
  verb('list', 'List what waits in all stores, the oldest first, and why', [
    'waiting list',
    'waiting list --kind message --reason provider_unavailable --older-than 1h',
    'waiting list --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --limit 200 --json',
  ])
    .option('--store <id>', 'only of this store')
    .option('--kind <kind>', `only of this kind: ${kindText}`)
    .option('--reason <reason>', 'only what waits for this reason; docs/operations/waiting.md has them')
    .option('--older-than <age>', 'only what has waited for longer, such as 30m, 2h or 1d, or since before a time')
    .option('--limit <number>', `at most this many (default: ${defaultLimit})`, wholeNumber)
    .action(async (options: Options) => {
      const { olderThan, reason, limit = defaultLimit } = options;
      if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > mostListed)
        throw new UsageError([`--limit must be a whole number from 1 to ${mostListed}`]);
      if (reason !== undefined && !(waitingReasons as readonly string[]).includes(reason))
        throw new UsageError([`--reason must be one of ${waitingReasons.join(', ')}`]);
      const before = olderThan === undefined ? undefined : momentBefore(olderThan, Date.now());
      const result = await listAll(admin, options, { before, reason, limit: Number(limit) });
      printResult(admin, options, result, people);
      if (result.unavailable.length > 0) throw new Ended(exitCodes.refused);
    });

async function listAll(admin: Admin, { store, kind }: Options, wanted: Wanted): Promise<Result> {
  const items: Item[] = [];
  const unavailable = new Set<string>();
  for (const each of kindsOf(kind)) {
    if (unavailable.has(serviceOf(each))) continue;
    try {
      for (const storeId of await storesWaiting(admin, each, store)) {
        items.push(...(await listOfStore(admin, each, storeId, wanted)));
      }
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      unavailable.add(serviceOf(each));
    }
  }
  const sorted = items.sort(comparePlaces);
  const { limit } = wanted;
  return { data: sorted.slice(0, limit), more: sorted.length > limit, unavailable: [...unavailable].sort() };
}

/** One more than wanted shows that there is more. */
async function listOfStore(
  admin: Admin,
  kind: OperatorKind,
  storeId: string,
  { before, reason, limit }: Wanted,
): Promise<Item[]> {
  const { list } = operatorWaitingOperations[serviceOf(kind)];
  const found: Item[] = [];
  let last: OperatorItem | undefined;
  for (;;) {
    const after = last && { since: last.since, kind: last.kind, id: last.id };
    const body = { kind, limit: pageSize, ...(after && { after }) };
    const { data } = await admin.platform.call(list, { body }, storeId);
    for (const item of data) {
      if (before !== undefined && item.since >= before) return found;
      if (reason === undefined || item.reason === reason) found.push({ store_id: storeId, ...item });
      if (found.length > limit) return found;
    }
    last = data.at(-1);
    if (data.length < pageSize) return found;
  }
}

function people({ data, more, unavailable }: Result): string {
  const rows = data.map(({ kind, since, reason, until, attempts, store_id, id, detail }) => [
    ...[kind, since, reason, until ?? '-', String(attempts), store_id, id, shown(detail)],
  ]);
  return [
    rows.length === 0
      ? 'nothing waits'
      : table(['KIND', 'SINCE', 'REASON', 'NEXT ATTEMPT', 'ATTEMPTS', 'STORE', 'ID', 'DETAIL'], rows),
    ...(more ? ['… and more: raise --limit, or narrow it with --kind, --reason, --store'] : []),
    ...unavailable.map((service) => `${service} does not answer, so what waits there is missing`),
  ].join('\n');
}
