import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileMessages } from '../../../apps/console/build/messages.ts';
import { root } from '../../../infra/local/paths.ts';
import { createPlatformDocument } from '../../../services/gateway/src/openapi/platform-document.ts';
import { platformRoutes } from '../../../services/gateway/src/platform/platform-routes.ts';

const folder = join(root, 'apps/console/src/generated');

/** Writes what the console's type check reads: the types of the platform's API, and the compiled texts. */
export async function generateConsole(): Promise<void> {
  await compileMessages();
  const document = createPlatformDocument(platformRoutes, { publicUrl: 'https://store.example.com' });
  const hash = createHash('sha256')
    .update(JSON.stringify([document, readFileSync(import.meta.filename, 'utf8')]))
    .digest('hex');
  const stamp = join(folder, 'hash');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'platform.ts'), astToString(await openapiTS(document as never)));
  writeFileSync(stamp, hash);
}
