import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { Ended, exitCodes } from '../exit.ts';
import { firstRows, table } from '../terminal.ts';
import { type ListTotalOptions, walkStores } from './list-totals-walk.ts';

export const verifyListTotalsCommand = (admin: Admin): Command =>
  verb('verify', 'Compare the totals of lists with a recount of their rows', [
    'list-total verify',
    'list-total verify --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --service crm --json',
  ])
    .option('--store <id>', 'one store (default: all whose totals are built)')
    .option('--service <name>', 'crm, scheduling, messaging or events (default: all)')
    .addHelpText(
      'after',
      `
The command reads the rows of all lists, store by store, and can run at any time. \`list-total rebuild\` repairs wrong
totals.

Exit code 1 when anything is wrong.`,
    )
    .action(async (options: ListTotalOptions) => {
      const walked = await walkStores(admin, 'verify', options);
      const services = walked.map(({ answers, ...each }) => ({
        ...each,
        wrong: answers.flatMap(({ wrong }) => wrong),
      }));
      printResult(admin, options, { services }, people);
      if (services.some(({ wrong }) => wrong.length > 0)) throw new Ended(exitCodes.refused);
    });

type Wrong = {
  store_id: string;
  list: string;
  status: string | null;
  owner: string | null;
  is: number;
  should_be: number;
};
type Verified = { service: string; stores: number; wrong: readonly Wrong[] };

function people({ services }: { services: readonly Verified[] }): string {
  const summary = table(
    ['SERVICE', 'STORES', 'WRONG'],
    services.map(({ service, stores, wrong }) => [service, stores.toLocaleString('en'), String(wrong.length)]),
  );
  const wrong = services.flatMap((each) => each.wrong);
  if (wrong.length === 0) return summary;
  const rows = wrong.map(({ store_id, list, status, owner, is, should_be }) => [
    ...[store_id, list, status ?? '-', owner ?? '-'],
    ...[String(is), String(should_be)],
  ]);
  return [summary, '', firstRows(['STORE', 'LIST', 'STATUS', 'OWNER', 'IS', 'SHOULD BE'], rows)].join('\n');
}
