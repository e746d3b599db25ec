import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { compileMessages } from '../../../apps/console/build/messages.ts';
import { createPlatformDocument } from '../../../services/gateway/src/openapi/platform-document.ts';
import { accountRoutes, personRoutes } from '../../../services/gateway/src/routes/index.ts';
import { generateInto } from '../generate-into.ts';

/** Writes what the console's type check reads: the types of the platform's API, and the compiled texts. */
export async function generateConsole(): Promise<void> {
  await compileMessages();
  const document = createPlatformDocument([...accountRoutes, ...personRoutes], {
    publicUrl: 'https://store.example.com',
  });
  const sources = { content: [document], makers: [import.meta.filename] };
  await generateInto(join(root, 'apps/console/src/generated'), sources, async () => {
    const { default: openapiTS, astToString } = await import('openapi-typescript');
    return { 'platform.ts': astToString(await openapiTS(document as never)) };
  });
}
