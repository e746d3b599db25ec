import { runMigrateCommand } from '@mostrador/kit/database/migrate-command';
import { loadConfig, migrateConfig } from '@mostrador/kit/process/config';
import { migrations } from './migrations.ts';

await runMigrateCommand({ name: 'accounts', directory: migrations, config: loadConfig(migrateConfig) });
