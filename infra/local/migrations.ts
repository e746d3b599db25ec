import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../packages/kit/src/database/migrate.ts';
import { root } from './paths.ts';

/** Applies a service's migrations with its owner role. Skips a service without migrations. */
export async function migrateService(
  service: string,
  ownerUrl: string,
  log: { info(text: string): void },
): Promise<void> {
  const directory = join(root, 'services', service, 'migrations');
  if (existsSync(directory)) await migrate({ url: ownerUrl, schema: service, directory, log });
}
