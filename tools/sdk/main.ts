import { globSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@mostrador/local-platform/paths';
import { runCommand } from '@mostrador/testing/command';
import { generateConsole } from './console/generate.ts';
import { apiDocument } from './document.ts';
import { startSdkPlatform } from './platform.ts';
import { postmanCollection } from './postman/collection.ts';
import { buildPython, testPython, tryPythonExamples } from './python/build.ts';
import { sdkFolder } from './python/generate.ts';
import { buildTypescript, type NpmPackage } from './typescript/build.ts';
import { tryTypescriptExamples } from './typescript/examples.ts';
import { generateTypescript } from './typescript/generate.ts';

const help = `Usage: npm run sdk -- generate|build|test
       npm run sdk -- postman FILE

  generate  writes what the TypeScript SDK and the console take from the API documents; lint and tests do this themselves
  build     builds the packages as files: packages/sdk/dist (npm) and packages/sdk-python/dist (wheel and source archive)
  postman   writes a Postman collection with every operation to FILE
  test      builds the packages, runs the Python SDK's type check and tests, starts a platform, and runs the examples of
            both READMEs with the installed packages, and the Postman collection with newman (npm test runs the TypeScript SDK's tests)

  --help    show this text

build and test need Python 3.11 or newer.
Exit codes: 0 success, 1 failure, 2 wrong usage.`;

const startedAt = performance.now();
const say = (text: string) =>
  console.log(`[${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s] ${text}`);

async function build(): Promise<{ readonly npmPackage: NpmPackage; readonly programs: string }> {
  const npmPackage = await buildTypescript();
  say(`built the npm package: ${relative(root, npmPackage.file)}`);
  const programs = await buildPython();
  for (const file of globSync(join(sdkFolder, 'dist/*'))) say(`built the Python package: ${relative(root, file)}`);
  return { npmPackage, programs };
}

async function test(): Promise<void> {
  const { npmPackage, programs } = await build();
  await testPython(programs);
  say('ok  the types and tests of the Python SDK');
  const platform = await startSdkPlatform();
  try {
    await tryTypescriptExamples(npmPackage.file, await platform.newStore());
    say("ok  the examples of the TypeScript SDK's README");
    await tryPythonExamples(programs, await platform.newStore());
    say("ok  the examples of the Python SDK's README");
    const { checkPostmanCollection } = await import('./postman/check.ts'); // it calls the API with the generated SDK
    await checkPostmanCollection(platform.demoStore());
    say('ok  the Postman collection');
  } finally {
    await platform.stop();
  }
}

async function postman(file: string): Promise<void> {
  writeFileSync(file, JSON.stringify(postmanCollection(apiDocument()), null, 2));
  say(`wrote ${file}`);
}

const commands: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  generate: async () => await Promise.all([generateTypescript(), generateConsole()]),
  build,
  test,
  postman,
};

function settingsOf(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false } },
  });
  if (values.help) return undefined;
  const [name = '', file = '', ...rest] = positionals;
  const command = commands[name];
  if (!command || rest.length > 0) throw new Error(`There is no command \`${positionals.join(' ')}\`.`);
  if ((name === 'postman') !== (file !== '')) throw new Error('`postman` needs one FILE, and the others need none.');
  return { command, file };
}

process.exitCode = await runCommand(process.argv.slice(2), help, settingsOf, async ({ command, file }) => {
  try {
    await command(file);
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
});
