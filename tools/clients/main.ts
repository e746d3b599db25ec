import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheDirectory } from '@mostrador/local-platform/paths';
import { runCommand } from '@mostrador/testing/command';
import { preparePython } from '@mostrador/testing/python/environment';
import type { Client, Workplace } from './client.ts';
import { clients } from './clients.ts';
import { type ApiDocument, runOpenapiGenerator, wrongModels } from './generate.ts';
import { type ClientsPlatform, startClientsPlatform } from './platform.ts';

const help = `Usage: npm run clients [-- --only NAMES] [--keep]

Starts a platform, generates API clients from the document that it serves, compiles them, and calls the API with each:
it creates a lead, lists leads, sends a message, reads it, and reads two typed problems.

  --only NAMES  some clients, separated by commas: ${clients.map(({ name }) => name).join(', ')}
  --keep        keeps the generated clients
  --help        show this text

Needs Java 17, Maven, Go and Python 3.10, or with --only those of the chosen clients (every one needs Python).
Exit codes: 0 all work, 1 some do not, 2 wrong usage.`;

const startedAt = performance.now();
const secondsSince = (moment: number): string => `${((performance.now() - moment) / 1000).toFixed(1)} s`;
const say = (text: string) => console.log(`[${secondsSince(startedAt).padStart(7)}] ${text}`);

type Settings = { readonly chosen: readonly Client[]; readonly keep: boolean };

function settingsOf(argv: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const names = values.only?.split(',') ?? clients.map(({ name }) => name);
  const unknown = names.filter((name) => !clients.some((client) => client.name === name));
  if (unknown.length > 0) throw new Error(`There is no client ${unknown.join(', ')}.`);
  return { chosen: clients.filter(({ name }) => names.includes(name)), keep: values.keep };
}

async function main(settings: Settings): Promise<number> {
  const python = dirname(await preparePython(join(import.meta.dirname, 'requirements.txt'), 'the client generators'));
  say('starting the platform');
  const platform = await startClientsPlatform();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void platform.stop().finally(() => process.exit(130)));
  try {
    const failures = await tryClients(platform, python, settings.chosen);
    for (const { name, message } of failures) console.log(`\n── ${name} ──\n${message}`);
    const kept = failures.length > 0 || settings.keep;
    console.log(`\n${settings.chosen.length - failures.length} clients work, ${failures.length} do not.`);
    if (kept) console.log(`The generated clients are in ${platform.folder}.`);
    await platform.stop();
    if (!kept) platform.remove();
    return failures.length === 0 ? 0 : 1;
  } catch (error) {
    await platform.stop();
    throw error;
  }
}

type Failure = { readonly name: string; readonly message: string };

async function tryClients(platform: ClientsPlatform, python: string, chosen: readonly Client[]): Promise<Failure[]> {
  const document = (await (await fetch(platform.documentUrl)).json()) as ApiDocument;
  const documentFile = join(platform.folder, 'openapi.json');
  writeFileSync(documentFile, JSON.stringify(document));
  const cache = join(cacheDirectory(process.env), 'clients');
  mkdirSync(cache, { recursive: true });
  const tries = chosen.map((client, index) => {
    const folder = join(platform.folder, 'generated', client.name);
    mkdirSync(folder, { recursive: true });
    const smoke = join(import.meta.dirname, 'smoke', client.name);
    const place: Workplace = { folder, document: documentFile, smoke, cache, python };
    return { client, place, phone: `55319${String(10_000_000 + index)}` };
  });

  say('openapi-generator makes its clients');
  await runOpenapiGenerator(platform.folder, python, tries);
  const failures: Failure[] = [];
  for (const { client, place, phone } of tries) {
    const since = performance.now();
    const done: string[] = [];
    try {
      await client.generate?.(place);
      const wrong = wrongModels(client, place, document);
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
      done.push('generated');
      await client.compile?.(place);
      if (client.compile) done.push('compiled');
      await client.call?.(place, { ...platform.input, SMOKE_PHONE: phone });
      if (client.call) done.push('called the API');
      say(`ok      ${client.name}: ${done.join(', ')} (${secondsSince(since)})`);
    } catch (error) {
      failures.push({ name: client.name, message: (error as Error).message });
      say(`failed  ${client.name}: ${done.join(', ')} (${secondsSince(since)})`);
    }
  }
  return failures;
}

process.exitCode = await runCommand(process.argv.slice(2), help, settingsOf, main);
