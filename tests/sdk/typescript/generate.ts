import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../infra/local/paths.ts';
import { apiDocument } from '../document.ts';
import { examplesOf } from '../examples.ts';
import { problemsSource, resourcesSource } from './sources.ts';

export const sdkFolder = join(root, 'packages/sdk');
const folder = join(sdkFolder, 'src/generated');

/**
 * Writes the generated modules of the TypeScript SDK from the API document, and the examples of its README as a program.
 * Writes nothing when they are current: their hash is that of everything they are made from.
 */
export async function generateTypescript(): Promise<void> {
  const document = apiDocument();
  const readme = readFileSync(join(sdkFolder, 'README.md'), 'utf8');
  const makers = [join(import.meta.dirname, 'sources.ts'), import.meta.filename, join(root, 'pnpm-workspace.yaml')];
  const hash = createHash('sha256')
    .update(JSON.stringify([document, readme, ...makers.map((file) => readFileSync(file, 'utf8'))]))
    .digest('hex');
  const stamp = join(folder, 'hash');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;

  const { default: openapiTS, astToString } = await import('openapi-typescript');
  // A member with a default may be left out of a request.
  const types = await openapiTS(document as never, { defaultNonNullable: false });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'schema.ts'), astToString(types));
  writeFileSync(join(folder, 'resources.ts'), resourcesSource(document));
  writeFileSync(join(folder, 'problems.ts'), problemsSource(document));
  writeFileSync(join(folder, 'readme.ts'), examplesOf(readme, 'ts'));
  writeFileSync(stamp, hash);
}
