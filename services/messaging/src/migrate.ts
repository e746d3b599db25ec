import { runMigrateCommand } from '@mostrador/kit/database/migrate-command';

await runMigrateCommand('messaging', `${import.meta.dirname}/../migrations`);
