import { runMigrateCommand } from '@mostrador/kit/database/migrate-command';

await runMigrateCommand('gateway', `${import.meta.dirname}/../migrations`);
