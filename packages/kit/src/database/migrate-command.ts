import type { Static } from '@sinclair/typebox';
import type { migrateConfig } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import { migrate } from './migrate.ts';

/** The migrate command of a service: applies the files of a folder to the schema of its name, and logs the new ones. */
export async function runMigrateCommand(options: {
  name: string;
  directory: string;
  config: Static<typeof migrateConfig>;
}): Promise<void> {
  const { name, directory, config } = options;
  const log = createLog({ service: name, level: config.LOG_LEVEL, format: config.LOG_FORMAT });
  const { applied } = await migrate({ url: config.DATABASE_OWNER_URL, schema: name, directory, log });
  log.info({ applied }, 'migrated');
}
