import { parseArgs } from 'node:util';
import { runCommand } from '@mostrador/testing/command';
import { buildTypescript } from './typescript/build.ts';
import { generateTypescript } from './typescript/generate.ts';

const help = `Usage: npm run sdk -- COMMAND

  generate  writes what the TypeScript SDK takes from the API document (lint and tests do this themselves)
  build     builds the packages
  --help    shows this text`;

const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  generate: generateTypescript,
  build: buildTypescript,
};

function settingsOf(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false } },
  });
  if (values.help) return undefined;
  const command = commands[positionals[0] ?? ''];
  if (!command) throw new Error(`There is no command \`${positionals[0] ?? ''}\`.`);
  return { command };
}

process.exitCode = await runCommand(process.argv.slice(2), help, settingsOf, async ({ command }) => {
  await command();
  return 0;
});
