import { join } from 'node:path';
import { runMigrateCommand } from '@mostrador/kit/database/migrate-command';
import { loadConfig, migrateConfig } from '@mostrador/kit/process/config';

const directory = join(import.meta.dirname, '../migrations');
await runMigrateCommand({ name: 'messaging', directory, config: loadConfig(migrateConfig) });
