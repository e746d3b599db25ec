import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { table } from '../terminal.ts';
import { type ListTotalOptions, walkStores } from './list-totals-walk.ts';

export const rebuildListTotalsCommand = (admin: Admin): Command =>
  verb('rebuild', 'Count the rows of lists again', [
    'list-total rebuild --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
    'list-total rebuild --service crm',
  ])
    .option('--store <id>', 'one store (default: all whose totals are built)')
    .option('--service <name>', 'crm, scheduling, messaging or events (default: all)')
    .addHelpText(
      'after',
      `
Requests go on: a list shows its old total until the new one is there. An interrupted rebuild loses nothing, and the same
command starts over.`,
    )
    .action(async (options: ListTotalOptions) => {
      const walked = await walkStores(admin, 'rebuild', options);
      const services = walked.map(({ service, stores }) => ({ service, stores }));
      printResult(admin, options, { services }, ({ services }) =>
        table(
          ['SERVICE', 'STORES'],
          services.map(({ service, stores }) => [service, stores.toLocaleString('en')]),
        ),
      );
    });
