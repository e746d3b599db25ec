import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../packages/kit/src/database/migrate.ts';
import { schemas } from '../postgres/roles.ts';
import { root } from './paths.ts';

type Log = { info(text: string): void };
type Options = {
  /** False: the previous version runs beside this one, so migrations that it could not work with wait. */
  readonly contract: boolean;
};

/** Applies a service's migrations with its owner role. Skips a service without migrations. */
export async function migrateService(service: string, ownerUrl: string, log: Log, options?: Options): Promise<void> {
  const directory = join(root, 'services', service, 'migrations');
  if (existsSync(directory)) await migrate({ url: ownerUrl, schema: service, directory, log, ...options });
}

/** Applies the migrations of every schema. They are independent, so they run in parallel. */
export async function migrateSchemas(
  ownerUrl: (schema: string) => string,
  log: Log,
  options: Options = { contract: true },
): Promise<void> {
  await Promise.all(schemas.map((schema) => migrateService(schema, ownerUrl(schema), log, options)));
}
