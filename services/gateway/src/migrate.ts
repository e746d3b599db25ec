import { join } from 'node:path';
import { loadConfig, migrateConfig } from '@mostrador/kit/config';
import { runMigrateCommand } from '@mostrador/kit/migrate-command';

const directory = join(import.meta.dirname, '../migrations');
await runMigrateCommand({ name: 'gateway', directory, config: loadConfig(migrateConfig) });
