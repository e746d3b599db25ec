import { taskQueues } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { createLog } from '@mostrador/kit/process/log';
import { processNames, serviceNames } from '@mostrador/platform/processes';
import { defaultDatabase } from '@mostrador/platform/servers';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { Ended, NotRunning } from '../exit.ts';
import { shown, table } from '../terminal.ts';
import { judgeAiBudgets } from './ai-budgets.ts';
import { judgeCircuits } from './circuits.ts';
import {
  readAiBudgets,
  readCircuits,
  readFailingEmbedders,
  readFailingModels,
  readMessageBudgets,
  readNumbers,
  readSealed,
} from './database.repository.ts';
import { checkSchemas, checkServer } from './database.ts';
import { judgeEmbedders } from './embedders.ts';
import { compareFindings, exitCodeOf, type Finding, oneOfEachCause, severities } from './finding.ts';
import { judgeMessageBudgets } from './message-budgets.ts';
import { judgeModels } from './models.ts';
import { judgeNumbers } from './numbers.ts';
import { inDatabase, Unreachable, withDatabase } from './open-database.ts';
import { type Answer, judgeKeys, judgeProcesses } from './processes.ts';
import {
  readDeliveries,
  readFeed,
  readFollowups,
  readMessages,
  readOutbox,
  readPayloads,
  readSyncs,
  readTurns,
  readWatches,
} from './queues.repository.ts';
import { judgeQueues } from './queues.ts';
import { callRoll } from './roll-call.ts';
import { type Check, type Checked, runChecks, ServerDown, Skipped } from './run-checks.ts';
import { judgeSealed } from './sealed.ts';
import { judgeCertificates, readCertificate, tlsServers } from './server-certificates.ts';
import { databaseDown, natsDown, temporalDown } from './server-down.ts';
import { judgeStream, readStream } from './streams.ts';
import { judgeTaskQueues } from './task-queues.ts';

type Options = { database?: string; json?: boolean };
type Result = {
  readonly at: string;
  readonly findings: readonly Finding[];
  readonly processes: readonly Pick<Answer, 'process' | 'instance' | 'version' | 'started_at' | 'ready'>[];
  readonly checks: readonly Checked[];
};

/** All checks run side by side, so this is about how long the command takes when a server hangs. */
const limitMs = 10_000;

const feeds = ['crm', 'scheduling', 'messaging', 'assistant'] as const;

export const doctorCommand = (admin: Admin): Command =>
  verb('doctor', 'Say what is wrong with the platform now, the most urgent first, and what to do', [
    'doctor',
    'doctor --json',
  ])
    .option(
      '--database <name>',
      `the database of the platform (default: that of POSTGRES_URL, and ${defaultDatabase} when that is postgres)`,
    )
    .addHelpText(
      'after',
      `
It looks at the processes, NATS, PostgreSQL, Temporal and what waits, side by side, and changes nothing. A server that
does not answer is a finding, and the others are looked at. It takes two seconds, and up to 11 when a server hangs.

NATS_URL, POSTGRES_URL (an administrator's) and TEMPORAL_ADDRESS say where the servers are. Without NATS_URL it looks at
the platform that \`npm start\` runs from this clone.

Exit codes: 0 nothing to do, 1 a warning, 2 something critical.`,
    )
    .action(async (options: Options) => {
      const result = await examine(admin, options.database);
      printResult(admin, options, result, people);
      throw new Ended(exitCodeOf(result.findings));
    });

async function examine(admin: Admin, database: string | undefined): Promise<Result> {
  const addresses = await admin.platform.addresses();
  if (!addresses.natsUrl && !addresses.databaseUrl && !addresses.temporal) await admin.platform.nats();
  // The check of the keys needs both the roll call and the rows.
  const roll = admin.platform.nats().then((nats) => callRoll(nats, processNames));
  roll.catch(() => {});
  let answers: readonly Answer[] = [];

  const databaseUrl = addresses.databaseUrl && inDatabase(addresses.databaseUrl, database);
  const onServer = async ({ signal }: { signal: AbortSignal }, work: (sql: Sql) => Promise<Finding[]>) => {
    if (databaseUrl === undefined) throw new Skipped('POSTGRES_URL is not set.');
    return await withDatabase(databaseUrl, signal, ({ sql }) => work(sql));
  };
  const ofDatabase = (name: string, work: (sql: Sql) => Promise<Finding[]>): Check => ({
    name,
    run: (limits) =>
      onServer(limits, work).catch((error) => {
        if (error instanceof Unreachable || databaseUrl === undefined) throw new ServerDown();
        throw error;
      }),
  });
  const checks: Check[] = [
    {
      name: 'NATS and the processes',
      vital: true,
      run: async () => {
        try {
          answers = await roll;
        } catch (error) {
          if (error instanceof NotRunning) return [natsDown(error)];
          throw error;
        }
        return [...judgeProcesses(answers), ...judgeKeys(answers)];
      },
    },
    {
      name: 'JetStream',
      run: async () => {
        const nats = await admin.platform.nats().catch(() => undefined);
        return nats ? judgeStream(await readStream(nats)) : [];
      },
    },
    {
      name: 'Temporal',
      vital: true,
      run: async ({ limitMs: ms }) => {
        if (!addresses.temporal) throw new Skipped('TEMPORAL_ADDRESS is not set.');
        const { inspectTemporal } = await import('@mostrador/kit/clients/temporal-inspection');
        const log = createLog({ service: 'admin', level: 'silent', format: 'json' });
        const { temporal, temporalNamespace: namespace } = addresses;
        try {
          const queues = await inspectTemporal({ ...temporal, namespace, taskQueues, limitMs: ms - 1_000, log });
          const present = await roll.catch(() => undefined);
          const workers = present?.filter(({ process }) => process === 'workflows').length;
          return judgeTaskQueues(queues, new Date(), workers);
        } catch (error) {
          return [temporalDown(error as Error)];
        }
      },
    },
    {
      name: 'PostgreSQL',
      vital: true,
      run: (limits) =>
        onServer(limits, checkServer).catch((error) => {
          if (error instanceof Unreachable) return [databaseDown(error)];
          throw error;
        }),
    },
    {
      name: 'certificates of servers',
      run: async ({ signal }) => {
        const servers = tlsServers({ ...addresses, publicUrl: addresses.publicUrl });
        const read = await Promise.all(servers.map((server) => readCertificate(server, signal)));
        return judgeCertificates(
          read.flatMap((certificate) => certificate ?? []),
          new Date(),
        );
      },
    },
    ofDatabase('roles, row-level security and indexes', checkSchemas),
    ofDatabase('what waits', async (sql) => {
      const states = await Promise.all([
        ...[readMessages, readPayloads, readSyncs, readWatches, readFollowups, readTurns, readDeliveries].map((read) =>
          read(sql),
        ),
        ...serviceNames.map((schema) => readOutbox(sql, schema)),
        ...feeds.map((schema) => readFeed(sql, schema)),
      ]);
      return judgeQueues(states.flat(), new Date());
    }),
    ofDatabase('providers', async (sql) => judgeCircuits(await readCircuits(sql), new Date())),
    ofDatabase('models of the AI', async (sql) => [
      ...judgeModels(await readFailingModels(sql)),
      ...judgeEmbedders(await readFailingEmbedders(sql)),
    ]),
    ofDatabase('budgets of the AI', async (sql) => judgeAiBudgets(await readAiBudgets(sql))),
    ofDatabase('numbers of channels', async (sql) => judgeNumbers(await readNumbers(sql))),
    ofDatabase('budgets for messages', async (sql) => judgeMessageBudgets(await readMessageBudgets(sql))),
    ofDatabase('encryption keys', async (sql) => judgeSealed(await readSealed(sql), await roll.catch(() => []))),
  ];
  const { findings, checks: done } = await runChecks(checks, limitMs);
  return {
    at: new Date().toISOString(),
    findings: oneOfEachCause(findings).sort(compareFindings),
    processes: answers.map(({ process, instance, version, started_at, ready }) => ({
      ...{ process, instance, version, started_at, ready },
    })),
    checks: done,
  };
}

function people({ at, findings, processes, checks }: Result): string {
  const counts = severities
    .map((severity) => [findings.filter((finding) => finding.severity === severity).length, severity] as const)
    .filter(([count]) => count > 0)
    .map(([count, severity]) => `${count} ${severity}`);
  const slowest = Math.max(...checks.map(({ ms }) => ms));
  return [
    ...findings.map(
      ({ severity, what, since, why, remedy }) =>
        `${severity.toUpperCase()}  ${shown(what)}.\n  since   ${since ?? 'not known'}\n  why     ${shown(why)}\n  do      ${remedy}`,
    ),
    table(
      ['PROCESS', 'AT', 'VERSION', 'RUNS SINCE', 'READY'],
      processes.map(({ process, instance, version, started_at, ready }) => [
        ...[process, instance, version, started_at, ready ? 'yes' : 'no'],
      ]),
    ),
    `${counts.length > 0 ? counts.join(', ') : 'nothing wrong'}: ${checks.length} checks in ${(slowest / 1000).toFixed(1)} s at ${at}`,
  ].join('\n\n');
}
