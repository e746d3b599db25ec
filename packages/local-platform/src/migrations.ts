import { join } from 'node:path';
import { migrate } from '@mostrador/kit/database/migrate';
import { ownerRoleOf, schemas } from '@mostrador/platform/servers';
import { root } from './paths.ts';
import { ownRoleUrl } from './servers/role-passwords.ts';

type Log = { info(text: string): void };
type Options = {
  /** False: the previous version runs beside this one, so migrations that it could not work with wait. */
  readonly contract: boolean;
};

/** Applies the migrations of every schema. They are independent, so they run in parallel. */
export async function migrateSchemas(
  ownerUrl: (schema: (typeof schemas)[number]) => string,
  log: Log,
  options: Options = { contract: true },
): Promise<void> {
  await Promise.all(
    schemas.map((schema) =>
      migrate({
        ...{ url: ownerUrl(schema), schema, log, ...options },
        directory: join(root, 'services', schema, 'migrations'),
      }),
    ),
  );
}

/** Applies them to this clone's database: all of them, unless the previous version runs beside this one. */
export const migrateAll = (databaseUrl: string, password: string, log: Log, options?: Options): Promise<void> =>
  migrateSchemas((schema) => ownRoleUrl(databaseUrl, ownerRoleOf(schema), password), log, options);
