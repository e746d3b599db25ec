import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { readDeployment } from '../config.ts';
import { Ended, exitCodes, UsageError } from '../exit.ts';
import { shown, table } from '../terminal.ts';
import { checkCertificates } from './check/check-certificates.ts';
import { checkNats } from './check/check-nats.ts';
import { checkPostgres } from './check/check-postgres.ts';
import { checkTemporal } from './check/check-temporal.ts';
import { type CheckedServer, checkedServers, type Finding } from './check/finding.ts';
import { defaultFolder } from './secrets-folder.ts';

type Options = { folder: string; only?: string; json?: boolean };

export const checkPlatformCommand = (admin: Admin): Command =>
  verb('check', 'Compare PostgreSQL, NATS and Temporal with what this version needs', [
    'platform check --folder secrets',
    'platform check --folder secrets --only postgres,nats --json',
  ])
    .option('--folder <path>', 'the folder of `secrets generate`', defaultFolder)
    .option('--only <servers>', `some of ${checkedServers.join(', ')}, separated by commas (default: all)`)
    .addHelpText(
      'after',
      `
It logs in as each process would: to PostgreSQL as each role, to NATS as each user, with the addresses in the folder, and to
Temporal with TEMPORAL_…. It changes nothing. Run it before the first start, and before and after each rollout, with the
same TLS settings as the processes.

Exit code 0: all is right. 1: something is wrong; each finding says what to do.`,
    )
    .action(async (options: Options) => {
      const config = readDeployment(admin.environment);
      const checks: Record<CheckedServer, () => Promise<Finding[]>> = {
        postgres: () => checkPostgres(options.folder),
        nats: () => checkNats(options.folder, config),
        temporal: () => checkTemporal(config),
      };
      const findings: Finding[] = [];
      for (const server of serversOf(options.only)) {
        findings.push(...(await checks[server]()), ...(await checkCertificates(server, options.folder, config)));
      }
      const ok = findings.every((finding) => finding.ok);
      printResult(admin, options, { ok, findings }, () => people(findings));
      if (!ok) throw new Ended(exitCodes.refused);
    });

function serversOf(only: string | undefined): readonly CheckedServer[] {
  if (only === undefined) return checkedServers;
  const named = only.split(',');
  const unknown = named.filter((name) => !checkedServers.some((server) => server === name));
  if (unknown.length > 0) throw new UsageError([`--only must be some of ${checkedServers.join(', ')}`]);
  return checkedServers.filter((server) => named.includes(server));
}

function people(findings: readonly Finding[]): string {
  const wrong = findings.filter(({ ok }) => !ok).length;
  return [
    table(
      ['STATE', 'SERVER', 'WHAT', 'DETAIL'],
      findings.map(({ ok, server, what, detail }) => [ok ? 'ok' : 'WRONG', server, what, shown(detail)]),
    ),
    wrong === 0 ? 'All is right.' : `${wrong} of ${findings.length} are wrong.`,
  ].join('\n');
}
