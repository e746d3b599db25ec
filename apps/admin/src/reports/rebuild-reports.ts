import { type ReportService, reportServices, rollupOperations } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { showProgress } from '../progress.ts';
import { servicesOf } from '../service-option.ts';
import { table } from '../terminal.ts';
import { shareOf } from './share.ts';

type Options = { service?: string; json?: boolean };
type Rebuilt = { service: ReportService; forgotten: number; closed_until: string | null };

export const rebuildReportsCommand = (admin: Admin): Command =>
  verb('rebuild', 'Delete the rollups of the reports and count them again from the source rows', [
    'report rebuild',
    'report rebuild --service messaging',
  ])
    .option('--service <name>', 'crm, messaging or scheduling (default: all)')
    .addHelpText(
      'after',
      `
Reports stay correct during a rebuild, but are slower until it ends. An interrupted rebuild loses nothing: the schedule
in Temporal continues it within 15 minutes. The same command starts over.`,
    )
    .action(async (options: Options) => {
      const services: Rebuilt[] = [];
      for (const service of servicesOf(options.service, reportServices))
        services.push(await rebuild(admin, service, options));
      printResult(admin, options, { services }, ({ services }) =>
        table(
          ['SERVICE', 'ROWS BEFORE', 'CLOSED UNTIL'],
          services.map(({ service, forgotten, closed_until }) => [
            service,
            forgotten.toLocaleString('en'),
            closed_until ?? '-',
          ]),
        ),
      );
    });

async function rebuild(admin: Admin, service: ReportService, { json }: Options): Promise<Rebuilt> {
  const { quarters: forgotten } = await admin.platform.call(rollupOperations[service].reset, {});
  let first: string | null = null;
  let last: string | null = null;
  const progress = json
    ? undefined
    : showProgress(admin.terminal, () => ({
        share: shareOf(first, last, new Date().toISOString()),
        text: `${service}: closed until ${last ?? '-'}`,
      }));
  try {
    for (;;) {
      const { closed_until, more } = await admin.platform.call(rollupOperations[service].close, {});
      last = closed_until;
      first ??= closed_until;
      if (!more) return { service, forgotten, closed_until };
    }
  } finally {
    progress?.stop();
  }
}
