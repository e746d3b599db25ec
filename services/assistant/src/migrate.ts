import { runMigrateCommand } from '@mostrador/kit/database/migrate-command';

await runMigrateCommand('assistant', `${import.meta.dirname}/../migrations`);
