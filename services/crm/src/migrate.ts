import { runMigrateCommand } from '@mostrador/kit/database/migrate-command';

await runMigrateCommand('crm', `${import.meta.dirname}/../migrations`);
