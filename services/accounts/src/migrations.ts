import { join } from 'node:path';

/** The folder of the service's migrations. */
export const migrations = join(import.meta.dirname, '../migrations');
