import {
  type ReplyOf,
  type ReportService,
  reportServices,
  rollupOperations,
  type verifyLeadReports,
} from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { Ended, exitCodes } from '../exit.ts';
import { showProgress } from '../progress.ts';
import { servicesOf } from '../service-option.ts';
import { firstRows, table } from '../terminal.ts';
import { shareOf } from './share.ts';

type Options = { service?: string; json?: boolean };
type Answer = ReplyOf<typeof verifyLeadReports>;
type Verified = { service: ReportService } & Pick<Answer, 'closed_until' | 'quarters' | 'wrong'>;

const theStoreItself = '00000000-0000-0000-0000-000000000000';

export const verifyReportsCommand = (admin: Admin): Command =>
  verb('verify', 'Compare the rollups of the reports with the source rows', [
    'report verify',
    'report verify --service messaging --json',
  ])
    .option('--service <name>', 'crm, messaging or scheduling (default: all)')
    .addHelpText(
      'after',
      `
The command reads the source rows of all stores, part by part, and can run at any time. \`report rebuild\` repairs wrong
rollups.

Exit code 1 when anything is wrong.`,
    )
    .action(async (options: Options) => {
      const services: Verified[] = [];
      for (const service of servicesOf(options.service, reportServices))
        services.push(await verify(admin, service, options));
      printResult(admin, options, { services }, people);
      if (services.some(({ wrong }) => wrong.length > 0)) throw new Ended(exitCodes.refused);
    });

async function verify(admin: Admin, service: ReportService, { json }: Options): Promise<Verified> {
  const result: Verified = { service, closed_until: null, quarters: 0, wrong: [] };
  let first: string | null = null;
  let next: string | null = null;
  const progress = json
    ? undefined
    : showProgress(admin.terminal, () => ({
        share: shareOf(first, next, result.closed_until),
        text: `${service}: ${result.quarters.toLocaleString('en')} quarter-hours, ${result.wrong.length} wrong`,
      }));
  try {
    do {
      const answer: Answer = await admin.platform.call(rollupOperations[service].verify, { body: { after: next } });
      next = answer.next;
      first ??= next;
      result.closed_until = answer.closed_until;
      result.quarters += answer.quarters;
      result.wrong.push(...answer.wrong);
    } while (next !== null);
    return result;
  } finally {
    progress?.stop();
  }
}

function people({ services }: { services: readonly Verified[] }): string {
  const summary = table(
    ['SERVICE', 'CLOSED UNTIL', 'QUARTER-HOURS', 'WRONG'],
    services.map(({ service, closed_until, quarters, wrong }) => [
      service,
      closed_until ?? '-',
      quarters.toLocaleString('en'),
      String(wrong.length),
    ]),
  );
  const wrong = services.flatMap((each) => each.wrong);
  if (wrong.length === 0) return summary;
  const rows = wrong.map(({ store_id, subject, quarter, metric, is, should_be }) => [
    ...[store_id, subject === theStoreItself ? '-' : subject, quarter, metric],
    ...[String(is), String(should_be)],
  ]);
  return [summary, '', firstRows(['STORE', 'SUBJECT', 'QUARTER-HOUR', 'METRIC', 'IS', 'SHOULD BE'], rows)].join('\n');
}
