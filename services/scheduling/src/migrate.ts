import { runMigrateCommand } from '@mostrador/kit/database/migrate-command';

await runMigrateCommand('scheduling', `${import.meta.dirname}/../migrations`);
