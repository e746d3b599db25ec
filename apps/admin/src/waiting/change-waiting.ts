import {
  type OperatorKind,
  operatorWaitingOperations,
  type RequestOf,
  recordOperation,
  type WaitingChange,
  waitingKinds,
} from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { Ended, exitCodes, UsageError } from '../exit.ts';
import { showProgress } from '../progress.ts';
import { table } from '../terminal.ts';
import { kindsOf, kindText, momentBefore, serviceOf } from './waiting-options.ts';
import { isUnavailable, storesWaiting } from './waiting-stores.ts';

type Act = 'retry' | 'giveUp';
type Options = {
  store?: string;
  allStores?: boolean;
  kind?: string;
  id?: string[];
  reason?: string;
  olderThan?: string;
  unknownAs?: string;
  dryRun?: boolean;
  json?: boolean;
};
type Body = RequestOf<(typeof operatorWaitingOperations)['messaging']['giveUp']>['body'];
type Changed = {
  readonly store_id: string;
  readonly kind: OperatorKind;
  matched: number;
  done: number;
  /** How many were left as they are, by the reason. */
  readonly skipped: Record<string, number>;
};
type Result = {
  readonly dry_run: boolean;
  readonly changes: readonly Changed[];
  readonly unavailable: readonly string[];
};

const words = {
  retry: { verb: 'retry', action: 'retry', done: 'RETRIED', would: 'WOULD RETRY' },
  giveUp: { verb: 'give-up', action: 'give_up', done: 'GIVEN UP', would: 'WOULD GIVE UP' },
} as const;

export const retryWaitingCommand = (admin: Admin): Command =>
  withChoice(
    verb('retry', 'Make the next attempt of what waits now', [
      'waiting retry --all-stores --kind webhook_delivery --reason failed_attempt --dry-run',
      'waiting retry --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
    ]),
  )
    .addHelpText(
      'after',
      `
Rate limits, sending windows, open circuits and the order of a lead's messages still hold, so a retry of many stores
sends no faster than without it. What may have been sent is not sent again.`,
    )
    .action((options: Options) => change(admin, 'retry', options));

export const giveUpWaitingCommand = (admin: Admin): Command =>
  withChoice(
    verb('give-up', 'Give up what waits: it ends as failed or cancelled, and its store is told', [
      'waiting give-up --all-stores --kind followup --older-than 2d --dry-run',
      'waiting give-up --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --kind message \\\n      --id 0198f2a1-77aa-7c31-8d02-5f4e3d2c1b0a --unknown-as failed',
    ]),
  )
    .option('--unknown-as <status>', 'messages with an unknown outcome become sent or failed (default: they stay)')
    .action((options: Options) => change(admin, 'giveUp', options));

const withChoice = (command: Command): Command =>
  command
    .option('--store <id>', 'only of this store')
    .option('--all-stores', 'of all stores')
    .option('--kind <kind>', `only of this kind: ${kindText}`)
    .option('--id <ids...>', 'only these; needs --store and --kind')
    .option('--reason <reason>', 'only what waits for this reason; docs/operations/waiting.md has them')
    .option('--older-than <age>', 'only what has waited for longer, such as 30m, 2h or 1d, or since before a time')
    .option('--dry-run', 'say what would change, and change nothing');

async function change(admin: Admin, act: Act, options: Options): Promise<void> {
  const { store, allStores = false, id, reason, olderThan, unknownAs, dryRun = false } = options;
  const kinds = kindsOf(options.kind);
  if ((store === undefined) !== allStores)
    throw new UsageError(['exactly one of --store and --all-stores is required']);
  if (act === 'giveUp' && options.kind === undefined) throw new UsageError([`--kind is required: one of ${kindText}`]);
  if (id && (allStores || options.kind === undefined)) throw new UsageError(['--id needs --store and --kind']);
  if (id && (reason !== undefined || olderThan !== undefined))
    throw new UsageError(['--id takes neither --reason nor --older-than']);
  if (unknownAs !== undefined && options.kind !== 'message')
    throw new UsageError(['--unknown-as needs --kind message']);
  // A moment that is the same for all stores, so that a long run takes nothing that was not there when it began.
  const older_than = momentBefore(olderThan ?? '0s', Date.now());
  const bodies = kinds.map((kind) => {
    const body = {
      ...{ kind, dry_run: dryRun, unknown_as: unknownAs },
      ...(id ? { ids: id } : { filter: { ...(reason && { reason }), older_than } }),
    };
    const names = { ids: '--id', unknown_as: '--unknown-as', filter: '--reason' };
    return checked(operatorWaitingOperations[serviceOf(kind)].giveUp, body, names).body as Body;
  });
  const result = await changeAll(admin, act, bodies, options);
  printResult(admin, options, result, (all) => people(all, act));
  if (result.unavailable.length > 0) throw new Ended(exitCodes.refused);
}

/** Store by store: what is cut short has changed some, and can be repeated. */
async function changeAll(admin: Admin, act: Act, bodies: readonly Body[], options: Options): Promise<Result> {
  const changes: Changed[] = [];
  const unavailable = new Set<string>();
  const interruption = admin.terminal.interruption();
  let [looked, all] = [0, 0];
  const progress = options.json
    ? undefined
    : showProgress(admin.terminal, () => ({
        share: all === 0 ? 0 : looked / all,
        text: `${looked} of ${all} stores, ${changes.reduce((sum, { done }) => sum + done, 0)} changed`,
      }));
  try {
    for (const body of bodies) {
      const service = serviceOf(body.kind);
      if (unavailable.has(service)) continue;
      try {
        const stores = await storesWaiting(admin, body.kind, options.store);
        all += stores.length;
        for (const storeId of stores) {
          if (interruption.signal.aborted) throw new Ended(exitCodes.interrupted);
          const changed = await changeStore(admin, act, body, storeId);
          if (changed) changes.push(changed);
          looked += 1;
        }
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        unavailable.add(service);
      }
    }
    return { dry_run: options.dryRun ?? false, changes, unavailable: [...unavailable].sort() };
  } finally {
    progress?.stop();
    interruption.release();
  }
}

/** Undefined: nothing of it waits, so nothing is recorded either. */
async function changeStore(admin: Admin, act: Act, body: Body, storeId: string): Promise<Changed | undefined> {
  const { kind } = body;
  const operation = operatorWaitingOperations[serviceOf(kind)][act];
  const ask = async (cursor: string | null, dry_run: boolean): Promise<WaitingChange> => {
    const { unknown_as, ...common } = { ...body, dry_run, ...(cursor !== null && { cursor }) };
    const asked = act === 'giveUp' && unknown_as ? { ...common, unknown_as } : common;
    return await admin.platform.call(operation, { body: asked }, storeId);
  };
  const result: Changed = { store_id: storeId, kind, matched: 0, done: 0, skipped: {} };
  let recorded = false;
  let cursor: string | null = null;
  do {
    // The audit entry is written before the change, and not for a store in which there is nothing to change.
    let answer: WaitingChange | undefined = recorded ? undefined : await ask(cursor, true);
    if (answer && answer.done > 0 && !body.dry_run) {
      await record(admin, act, body, storeId);
      recorded = true;
      answer = undefined;
    }
    answer ??= await ask(cursor, false);
    add(result, answer);
    cursor = answer.next_cursor;
  } while (cursor !== null);
  return result.matched === 0 ? undefined : result;
}

function add(result: Changed, { matched, done, skipped }: WaitingChange): void {
  result.matched += matched;
  result.done += done;
  for (const { why } of skipped) result.skipped[why] = (result.skipped[why] ?? 0) + 1;
}

/** In the store's own audit log. Its kinds are those that a store sees. */
async function record(admin: Admin, act: Act, { kind, ids, filter, unknown_as }: Body, storeId: string): Promise<void> {
  const hidden = !(kind in waitingKinds);
  const details = {
    ...(hidden ? {} : { kind }),
    ...(ids && { ids }),
    ...(filter && { filter }),
    ...(unknown_as && { unknown_as }),
  };
  const action = `${hidden ? kind : 'waiting'}.${words[act].action}`;
  await admin.platform.call(recordOperation, { body: { store_id: storeId, action, details } });
}

function people({ dry_run, changes, unavailable }: Result, act: Act): string {
  const rows = changes.map(({ store_id, kind, matched, done, skipped }) => [
    ...[store_id, kind, String(matched), String(done)],
    Object.entries(skipped)
      .map(([why, count]) => `${why}: ${count}`)
      .join(', ') || '-',
  ]);
  const { done, would } = words[act];
  return [
    rows.length === 0
      ? 'nothing waits that the options name'
      : table(['STORE', 'KIND', 'MATCHED', dry_run ? would : done, 'LEFT AS THEY ARE'], rows),
    ...unavailable.map((service) => `${service} does not answer, so its rest was not changed: run this again later`),
    ...(dry_run ? ['This was a dry run: nothing has changed.'] : []),
  ].join('\n');
}
