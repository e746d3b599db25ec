import {
  type KeyMark,
  type ReplyOf,
  type SealedCount,
  type SecretService,
  secretOperations,
  secretServices,
} from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import type { Answer } from '../doctor/processes.ts';
import { callRoll } from '../doctor/roll-call.ts';
import { Ended, exitCodes, Refused } from '../exit.ts';
import { showProgress } from '../progress.ts';
import { servicesOf } from '../service-option.ts';
import { firstRows, table } from '../terminal.ts';
import { keyFaults, stillNeeded } from './key-state.ts';

type Options = { service?: string; dryRun?: boolean; json?: boolean };
type Unreadable = ReplyOf<(typeof secretOperations)['messaging']['reseal']>['unreadable'];
type Resealed = {
  readonly service: SecretService;
  readonly key: KeyMark;
  readonly before: readonly SealedCount[];
  after: readonly SealedCount[];
  resealed: number;
  readonly unreadable: Unreadable;
};
type Result = { readonly dry_run: boolean; readonly services: readonly Resealed[] };

/** A call works for up to 5 s, and answers after the store at which that time is over. */
const answerLimitMs = 60_000;

export const resealSecretsCommand = (admin: Admin): Command =>
  verb('reseal', 'Encrypt stored credentials again with the first key of ENCRYPTION_KEYS, so that an old key can go', [
    'secrets reseal --dry-run',
    'secrets reseal',
    'secrets reseal --service messaging',
  ])
    .option('--service <name>', `${secretServices.join(', ')} (default: all)`)
    .option('--dry-run', 'count by the id of the key, and change nothing')
    .addHelpText(
      'after',
      `
The processes of the service do the work, so the command needs no key. It runs beside them, changes one credential at a
time, and can be interrupted and repeated. It begins only when all processes of a service have the same keys.
docs/operations/encryption-keys.md has the whole rotation.

Exit code 1 when a credential cannot be opened with any key.`,
    )
    .action(async (options: Options) => {
      const { dryRun = false } = options;
      const names = servicesOf(options.service, secretServices);
      assertSameKeys(await callRoll(await admin.platform.nats(), names), names);
      const services: Resealed[] = [];
      for (const service of names) services.push(await reseal(admin, service, { ...options, dryRun }));
      printResult(admin, options, { dry_run: dryRun, services }, people);
      if (services.some(({ unreadable }) => unreadable.length > 0)) throw new Ended(exitCodes.refused);
    });

/** Throws Refused, before anything changes. */
function assertSameKeys(answers: readonly Answer[], services: readonly SecretService[]): void {
  const faults = services.flatMap((service) => keyFaults(service, answers));
  if (faults.length > 0) throw new Refused(faults.join('\n'));
}

async function reseal(
  admin: Admin,
  service: SecretService,
  { dryRun, json }: { dryRun: boolean; json?: boolean },
): Promise<Resealed> {
  const operations = secretOperations[service];
  const { key, counts } = await admin.platform.call(operations.count, { body: {} });
  const result: Resealed = { service, key, before: counts, after: counts, resealed: 0, unreadable: [] };
  if (dryRun) return result;
  const all = counts.filter((count) => isOld(count, key)).reduce((sum, { rows }) => sum + rows, 0);
  const interruption = admin.terminal.interruption();
  const progress = json
    ? undefined
    : showProgress(admin.terminal, () => ({
        share: all === 0 ? 1 : Math.min(1, result.resealed / all),
        text: `${service}: ${result.resealed.toLocaleString('en')} of ${all.toLocaleString('en')}`,
      }));
  try {
    let after: string | null = null;
    do {
      if (interruption.signal.aborted) throw new Ended(exitCodes.interrupted);
      const body: { key: KeyMark; after: string | null } = { key, after };
      const answer: ReplyOf<typeof operations.reseal> = await admin.platform.call(
        operations.reseal,
        { body },
        undefined,
        answerLimitMs,
      );
      if (answer.key.fingerprint !== key.fingerprint) throw otherKey(service, answer.key);
      result.resealed += answer.resealed;
      result.unreadable.push(...answer.unreadable);
      after = answer.next;
    } while (after !== null);
  } finally {
    progress?.stop();
    interruption.release();
  }
  result.after = (await admin.platform.call(operations.count, { body: {} })).counts;
  return result;
}

/** What an answer keeps for a repeated request goes by itself. */
const isOld = ({ key_id, expires_at }: SealedCount, key: KeyMark): boolean => key_id !== key.id && expires_at === null;

const otherKey = (service: SecretService, { id }: KeyMark): Refused =>
  new Refused(
    `a ${service} process now seals with the key ${id}: give all of them the same ENCRYPTION_KEYS, then repeat`,
  );

function people({ dry_run, services }: Result): string {
  const place = ({ what, key_id }: SealedCount) => `${what} ${key_id}`;
  const rows = services.flatMap(({ service, before, after }) =>
    [...new Map([...before, ...after].map((count) => [place(count), count])).values()]
      .sort((one, other) => (place(one) < place(other) ? -1 : 1))
      .map((count) => {
        const rowsIn = (counts: readonly SealedCount[]) =>
          String(counts.find((each) => place(each) === place(count))?.rows ?? 0);
        return [service, count.what, count.key_id, rowsIn(before), ...(dry_run ? [] : [rowsIn(after)])];
      }),
  );
  const unreadable = services.flatMap((each) =>
    each.unreadable.map((one) => [each.service, one.store_id, one.what, one.key_id]),
  );
  return [
    rows.length === 0
      ? 'nothing is stored'
      : table(['SERVICE', 'WHAT', 'KEY', dry_run ? 'ROWS' : 'BEFORE', ...(dry_run ? [] : ['AFTER'])], rows),
    ...(unreadable.length > 0
      ? [
          `NO KEY OPENS THESE. Restore their key, or have the stores connect again.\n${firstRows(['SERVICE', 'STORE', 'WHAT', 'KEY'], unreadable)}`,
        ]
      : []),
    ...services.map(({ service, key, after }) => `${service} seals with ${key.id}. ${stillNeeded(key, after)}`),
    ...(dry_run ? ['This was a dry run: nothing has changed.'] : []),
  ].join('\n\n');
}
