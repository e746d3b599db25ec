import { type LeadMerge, mergeLead } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, existingStore, printResult, verb } from '../admin.ts';
import { checked, wholeNumber } from '../check.ts';
import { UsageError } from '../exit.ts';
import { table } from '../terminal.ts';
import { allDuplicates } from './list-duplicates.ts';
import { checkMerges, type Merge, runMerges, unfinishedMerges } from './merge-steps.ts';

type Options = {
  store?: string;
  lead?: string;
  into?: string;
  all?: boolean;
  dryRun?: boolean;
  wait: unknown;
  json?: boolean;
};
type Result = { dry_run: boolean; merges: Merge[] };

const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';

/**
 * The longest deadline of a request of the platform with its default settings (12 s), and twice the 2 s by which the
 * clock of a process may differ.
 */
const longestRequestSeconds = 16;

export const mergeLeadsCommand = (admin: Admin): Command =>
  verb('merge', 'Merge leads that have one phone in different forms', [
    `lead merge --store ${store} --all --dry-run`,
    `lead merge --store ${store} \\\n      --lead 0198f2a1-77aa-7c31-8d02-5f4e3d2c1b0a --into 0198f2a1-77aa-7c31-8d02-5f4e3d2c1b0b`,
  ])
    .option('--store <id>', 'the store (required)')
    .option('--lead <id>', 'the lead that goes')
    .option('--into <id>', 'the lead that stays and gets everything of the other one')
    .option('--all', 'every lead that `lead duplicates` lists, into the oldest lead of the person')
    .option('--dry-run', 'show what would be merged, and change nothing')
    .option(
      '--wait <seconds>',
      "how long a request may take that began before the merge; at least the gateway's REQUEST_TIMEOUT_MS and 4 s",
      wholeNumber,
      longestRequestSeconds,
    )
    .addHelpText(
      'after',
      `
The lead that stays keeps its name and status. It gets the messages, appointments and follow-ups of the other one, and
its seller if it has none. The id of the other one then answers lead_not_found, with the id of the lead that stays.

A merge cannot be undone. It can be stopped at any time: the same command completes it. Each run first completes the
merges of the store that are not finished. All processes of the platform must have this version.`,
    )
    .action(async (options: Options) => {
      const { all = false, dryRun = false, lead, into, wait } = options;
      if (all && (lead !== undefined || into !== undefined)) {
        throw new UsageError(['--all cannot be combined with --lead and --into']);
      }
      const body = { lead_id: lead, merged_into: into };
      const one = all ? undefined : checked(mergeLead, body, { lead_id: '--lead', merged_into: '--into' }).body;
      if (typeof wait !== 'number' || wait < 0) throw new UsageError(['--wait must be a number of seconds']);
      const { id: storeId } = await existingStore(admin, options.store);
      const unfinished = await unfinishedMerges(admin, storeId);
      const merge = (pairs: readonly LeadMerge[]) =>
        dryRun
          ? checkMerges(admin, storeId, pairs)
          : runMerges(admin, storeId, pairs, { waitMs: wait * 1000, quiet: options.json ?? false });
      // One after the other, so that no lead is merged while another one moves into it.
      const merges = await merge(unfinished);
      const wanted = one ? [one] : await duplicatePairs(admin, storeId);
      merges.push(...(await merge(wanted.filter((pair) => !merges.some((done) => isSame(pair, done))))));
      printResult(admin, options, { dry_run: dryRun, merges }, people);
    });

const isSame = (one: LeadMerge, other: LeadMerge): boolean =>
  one.lead_id.toLowerCase() === other.lead_id && one.merged_into.toLowerCase() === other.merged_into;

/** Every duplicate with the oldest lead of its person. */
async function duplicatePairs(admin: Admin, storeId: string): Promise<LeadMerge[]> {
  const { duplicates } = await allDuplicates(admin, storeId);
  return duplicates.flatMap(([oldest, ...others]) =>
    oldest ? others.map(({ id }) => ({ lead_id: id, merged_into: oldest.id })) : [],
  );
}

function people({ dry_run, merges }: Result): string {
  if (merges.length === 0) return 'There is nothing to merge.';
  const rows = merges.map(({ lead_id, merged_into, messages, appointments, followups }) => [
    lead_id,
    merged_into,
    ...(dry_run ? [] : [messages, appointments, followups].map(String)),
  ]);
  const counts = dry_run ? [] : ['MESSAGES', 'APPOINTMENTS', 'FOLLOW-UPS'];
  const shown = table(['LEAD', 'INTO', ...counts], rows);
  return dry_run ? `${shown}\n\nThis was a dry run: nothing has changed.` : shown;
}
