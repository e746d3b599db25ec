import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, expect, test } from 'vitest';
import { buildTypescript } from '../../tools/sdk/typescript/build.ts';
import { tryTypescriptExamples } from '../../tools/sdk/typescript/examples.ts';
import { addresses, newStore } from './platform.ts';

let packageFolder: string;
beforeAll(async () => {
  packageFolder = await buildTypescript();
});

test("the examples of the TypeScript SDK's README compile, run, and print what they say", async () => {
  const { key } = await newStore();
  await tryTypescriptExamples(packageFolder, { MOSTRADOR_BASE_URL: addresses.base_url, MOSTRADOR_API_KEY: key });
});

test('publint finds nothing in the npm package', async () => {
  const { messages, pkg } = await publint({ pkgDir: packageFolder, strict: true, pack: 'npm' });
  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
});
