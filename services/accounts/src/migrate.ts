import { runMigrateCommand } from '@mostrador/kit/database/migrate-command';

await runMigrateCommand('accounts', `${import.meta.dirname}/../migrations`);
