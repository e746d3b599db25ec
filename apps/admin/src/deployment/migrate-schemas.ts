import { resolve } from 'node:path';
import { migrate } from '@mostrador/kit/database/migrate';
import { databaseFault } from '@mostrador/kit/database/readiness';
import { type ServiceName, serviceNames } from '@mostrador/platform/processes';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { Ended, exitCodes } from '../exit.ts';
import { showProgress } from '../progress.ts';
import { servicesOf } from '../service-option.ts';
import { ownFaults } from './database-connection.ts';
import { ownerSecretOf } from './secret-files.ts';
import { defaultFolder, requiredSecret } from './secrets-folder.ts';

type Options = { service?: string; contract?: boolean; folder: string; json?: boolean };
type Migrated = { service: ServiceName; applied: string[]; waiting: string[]; fault: string | null };

/** The folder of a service's migrations, in a checkout as in an image. */
export const migrationsOf = (service: ServiceName): string =>
  resolve(import.meta.dirname, '../../../../services', service, 'migrations');

export const migrateCommand = (admin: Admin): Command =>
  verb('migrate', 'Apply the migrations of this version to the schemas of all services, or of one', [
    'platform migrate --folder secrets',
    'platform migrate --folder secrets --service crm',
    'platform migrate --folder secrets --contract',
  ])
    .option('--service <name>', `one of ${serviceNames.join(', ')} (default: all)`)
    .option(
      '--contract',
      'also apply what the previous version does not work with, when each process runs this version',
    )
    .option('--folder <path>', 'the folder of `secrets generate`', defaultFolder)
    .addHelpText(
      'after',
      `
Each schema is migrated by its owner, whose address is in <folder>/<service>-migrate/DATABASE_OWNER_URL. It can be
repeated: each file is applied once, and a second run at the same time waits. The previous version works on the new
schemas until --contract. docs/operations/rollout.md has the order.`,
    )
    .action(async (options: Options) => {
      const services = servicesOf(options.service, serviceNames);
      const addresses = await Promise.all(services.map((each) => requiredSecret(options.folder, ownerSecretOf(each))));
      const migrated: Migrated[] = [];
      const progress = showProgress(admin.terminal, () => ({
        share: migrated.length / services.length,
        text: `migrating ${services[migrated.length] ?? 'done'}`,
      }));
      try {
        for (const [index, service] of services.entries()) {
          const url = addresses[index] ?? '';
          migrated.push(await migrateOne(admin, { service, url, contract: options.contract ?? false }));
        }
      } finally {
        progress.stop();
      }
      printResult(admin, options, { services: migrated }, () => people(migrated));
      if (migrated.some(({ fault }) => fault !== null)) throw new Ended(exitCodes.refused);
    });

async function migrateOne(
  admin: Admin,
  { service, url, contract }: { service: ServiceName; url: string; contract: boolean },
): Promise<Migrated> {
  const log = { info: (text: string) => admin.terminal.note(text) };
  try {
    const result = await migrate({
      ...{ url, schema: service, directory: migrationsOf(service) },
      ...{ log, contract },
    });
    return { service, ...result, fault: null };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    // A fault of the connection has a code of the network or of the handshake, or one of these of PostgreSQL.
    const isOfConnection = code !== undefined && /^(E[A-Z]|CONN|TLS_|28|3D000|25006|53300|57P0)/.test(code);
    const variable = `${ownerSecretOf(service).holder}/DATABASE_OWNER_URL`;
    return { service, applied: [], waiting: [], fault: isOfConnection ? loginFault(error, variable) : message };
  }
}

/** A role or a database that is missing is made by `platform roles`, which an operator may not have run yet. */
const loginFault = (error: unknown, variable: string): string =>
  `${databaseFault(error, variable)}${ownFaults.has((error as { code: string }).code) ? ' `platform roles` makes it right.' : ''}`;

function people(migrated: readonly Migrated[]): string {
  const lines = migrated.map(({ service, applied, fault }) => {
    if (fault !== null) return `${service}: error: ${fault}`;
    // Their names are on standard error, each when it was applied.
    return `${service}: ${applied.length === 0 ? 'nothing new' : `${applied.length} applied`}`;
  });
  const waiting = migrated.flatMap(({ service, waiting }) => waiting.map((file) => `  ${service}: ${file}`));
  if (waiting.length > 0) {
    lines.push('These wait until each process runs this version. Then: `platform migrate --contract`.', ...waiting);
  }
  return lines.join('\n');
}
