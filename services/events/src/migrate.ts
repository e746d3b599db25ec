import { runMigrateCommand } from '@mostrador/kit/database/migrate-command';

await runMigrateCommand('events', `${import.meta.dirname}/../migrations`);
