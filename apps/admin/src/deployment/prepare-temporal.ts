import { temporalAddress } from '@mostrador/kit/clients/temporal-address';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { wholeNumber } from '../check.ts';
import { type DeploymentConfig, readDeployment } from '../config.ts';
import { UsageError } from '../exit.ts';
import { record } from '../terminal.ts';

type Options = { retentionDays?: unknown; json?: boolean };

export const prepareTemporalCommand = (admin: Admin): Command =>
  verb('temporal', 'Create the namespace of Temporal and its search attributes', [
    'platform temporal',
    'platform temporal --retention-days 14',
  ])
    .option(
      '--retention-days <days>',
      'how long closed workflows are kept, 1 to 90 (default: 7 for a new namespace, else unchanged)',
      wholeNumber,
    )
    .addHelpText(
      'after',
      `
It reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_TLS… and TEMPORAL_API_KEY as the processes do. It can be repeated.
The schedules of the reports are not created here: the workflows process does, at its start.

The credentials must be allowed to administer. Those of Temporal Cloud may not: create the namespace and the search
attributes in its console. The error names them.`,
    )
    .action(async (options: Options) => {
      const config = readDeployment(admin.environment);
      const server = temporalServer(config);
      const days = options.retentionDays;
      if (days !== undefined && !(typeof days === 'number' && days >= 1 && days <= 90)) {
        throw new UsageError(['--retention-days must be a number between 1 and 90']);
      }
      // Imported here, because Temporal's client takes a while to load.
      const { prepareNamespace } = await import('@mostrador/kit/clients/temporal-prepare');
      const namespace = config.TEMPORAL_NAMESPACE;
      const log = { info: (text: string) => admin.terminal.note(text) };
      const prepared = await prepareNamespace({ ...{ server, namespace, log }, retentionDays: days });
      const { created, retentionDays, added } = prepared;
      const result = { namespace, created, retention_days: retentionDays, added_search_attributes: added };
      printResult(admin, options, result, () =>
        record({
          namespace: `${namespace} (${created ? 'created' : 'exists'})`,
          retention: `${retentionDays} days`,
          'search attributes': added.length > 0 ? `added ${added.join(', ')}` : 'complete',
        }),
      );
    });

/** The server of TEMPORAL_ADDRESS with the credentials of the environment. Throws UsageError when it is not set. */
export function temporalServer(config: DeploymentConfig): ReturnType<typeof temporalAddress> {
  const { TEMPORAL_ADDRESS } = config;
  if (!TEMPORAL_ADDRESS) throw new UsageError(['set TEMPORAL_ADDRESS, as for the processes']);
  return temporalAddress({ ...config, TEMPORAL_ADDRESS });
}
