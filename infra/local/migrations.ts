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

/**
 * Applies the migrations of every schema. The schemas are independent, so they run in parallel, except that accounts
 * takes its first tables over from the gateway.
 */
export async function migrateSchemas(
  ownerUrl: (schema: string) => string,
  log: Log,
  { contract }: Options = { contract: true },
): Promise<void> {
  const apply = (schema: string, options: Options) => migrateService(schema, ownerUrl(schema), log, options);
  const others = schemas.filter((schema) => schema !== 'gateway' && schema !== 'accounts');
  const expanding = { contract: false };
  await Promise.all([
    apply('gateway', expanding).then(() => apply('accounts', expanding)),
    ...others.map((schema) => apply(schema, expanding)),
  ]);
  if (contract) await Promise.all(schemas.map((schema) => apply(schema, { contract })));
}
