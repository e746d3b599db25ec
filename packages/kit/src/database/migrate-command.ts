import { loadConfig, migrateConfig } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import { migrate } from './migrate.ts';

/**
 * The migrate command of a service: applies the files of a folder to the schema of its name, and logs the new ones. With
 * the argument `--contract` also those with which the previous version does not work.
 */
export async function runMigrateCommand(name: string, directory: string): Promise<void> {
  const config = loadConfig(migrateConfig);
  const log = createLog({ service: name, level: config.LOG_LEVEL, format: config.LOG_FORMAT });
  const contract = process.argv.includes('--contract');
  const { applied, waiting } = await migrate({
    url: config.DATABASE_OWNER_URL,
    schema: name,
    directory,
    log,
    contract,
  });
  log.info({ applied, waiting }, 'migrated');
  if (waiting.length > 0) log.info('run it with --contract when every process runs this version');
}
