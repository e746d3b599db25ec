import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { apiDocument } from '../document.ts';
import { examplesOf } from '../examples.ts';
import { generateInto } from '../generate-into.ts';
import { problemsSource, resourcesSource, typescriptDocument } from './sources.ts';

export const sdkFolder = join(root, 'packages/sdk');

/** Writes the generated modules of the TypeScript SDK from the API document, and the examples of its README as a program. */
export async function generateTypescript(): Promise<void> {
  const document = apiDocument();
  const readme = readFileSync(join(sdkFolder, 'README.md'), 'utf8');
  const makers = [join(import.meta.dirname, 'sources.ts'), import.meta.filename, join(root, 'pnpm-workspace.yaml')];
  await generateInto(join(sdkFolder, 'src/generated'), { content: [document, readme], makers }, async () => {
    const { default: openapiTS, astToString } = await import('openapi-typescript');
    return {
      'schema.ts': astToString(await openapiTS(typescriptDocument(document) as never)),
      'resources.ts': resourcesSource(document),
      'problems.ts': problemsSource(document),
      'readme.ts': examplesOf(readme, 'ts'),
    };
  });
}
