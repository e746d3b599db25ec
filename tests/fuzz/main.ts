import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '@mostrador/testing/random';
import { runSchemathesis } from '../e2e/fuzz-schemathesis.ts';
import { http } from './http.ts';
import { measureMemory } from './memory.ts';
import type { Part } from './part.ts';
import { type FuzzPlatform, startFuzzPlatform } from './platform.ts';
import { providers } from './providers.ts';
import { subjects } from './subjects.ts';
import { webhook } from './webhook.ts';

const help = `Usage: npm run fuzz [-- --seconds N] [--seed N] [--examples N] [--requests N] [--only PART]

Throws everything at a platform of its own: broken HTTP, JSON bombs, large headers and slow bodies at the gateway; random
bytes on every NATS subject and on the channel webhook; anything as a provider's answer; and schemathesis, stateful, at
every operation. Nothing may crash, hang, keep memory, or answer outside the catalogue.

  --seconds N   for the parts that go by time, together, 240 unless said
  --seed N      what is made up; printed, so that a run can be made again
  --examples N  of each operation by schemathesis, 1000 unless said; 0: none
  --requests N  of which the memory is measured, 36000 unless said (ten a second for an hour); 0: none
  --only PART   ${['HTTP', 'subjects', 'webhook', 'providers', 'schemathesis', 'memory'].join(', ')}
  --help        this text

Exit codes: 0 nothing was found, 1 something was, 2 wrong usage.`;

const parts: readonly Part[] = [http, subjects, webhook, providers];
const readyWithinMs = 15_000;

function settingsOf(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seconds: { type: 'string', default: '240' },
      seed: { type: 'string' },
      examples: { type: 'string', default: '1000' },
      requests: { type: 'string', default: '36000' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const numbers = {
    seconds: Number(values.seconds),
    seed: Number(values.seed ?? Date.now() % 1_000_000),
    examples: Number(values.examples),
    requests: Number(values.requests),
  };
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} is a whole number.`);
  }
  return { ...numbers, only: values.only };
}

type Settings = NonNullable<ReturnType<typeof settingsOf>>;

async function main(argv: readonly string[]): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = settingsOf(argv);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    return 2;
  }
  if (!settings) {
    console.log(help);
    return 0;
  }
  const platform = await startFuzzPlatform();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void platform.stop().finally(() => process.exit(130)));
  }
  try {
    const found = await fuzz(platform, settings);
    console.log(
      found.length === 0 ? '\nNothing was found.' : `\n${found.length} findings, the logs are in ${platform.folder}`,
    );
    await platform.stop();
    if (found.length === 0) platform.remove();
    return found.length === 0 ? 0 : 1;
  } catch (error) {
    await platform.stop();
    throw error;
  }
}

async function fuzz(platform: FuzzPlatform, settings: Settings): Promise<string[]> {
  const { seed, seconds, examples, requests, only } = settings;
  const random = createRandom(seed);
  const found = new Set<string>();
  const finding = (what: string) => {
    // One of a kind: ids and numbers in it are another each time.
    const kind = what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#');
    if (!found.has(kind)) console.log(`  FOUND: ${what}`);
    found.add(kind);
  };
  console.log(`npm run fuzz -- --seed ${seed} --seconds ${seconds} --examples ${examples} --requests ${requests}`);
  const wanted = parts.filter(({ name }) => only === undefined || name === only);
  for (const part of wanted) {
    const endedSince = platform.watch();
    const until = Date.now() + (seconds * 1_000) / wanted.length;
    const tries = await part.run({ platform, random, until, finding });
    for (const name of endedSince()) finding(`${part.name}: the process ${name} ended`);
    await mustServe(platform, part.name, finding);
    console.log(`${part.name}: ${tries} tries`);
  }
  if (examples > 0 && (only === undefined || only === 'schemathesis')) {
    const endedSince = platform.watch();
    const { report, exitCode } = await runSchemathesis({
      documentUrl: `${platform.gatewayUrl}/docs/json`,
      key: platform.store.key,
      seed: String(seed),
      examples: String(examples),
      limitMs: 4 * 3_600_000,
    });
    if (exitCode !== 0) finding(`schemathesis: ${report}`);
    for (const name of endedSince()) finding(`schemathesis: the process ${name} ended`);
    await mustServe(platform, 'schemathesis', finding);
    console.log(
      `schemathesis: ${report
        .split('\n')
        .filter((line) => /Tested:|generated|Seed:/.test(line))
        .join(', ')}`,
    );
  }
  if (requests > 0 && (only === undefined || only === 'memory')) {
    for (const { name, before, after, leaks } of await measureMemory(platform, random, requests)) {
      const text = `${name} holds ${megabytes(before.heapUsed)} MB before and ${megabytes(after.heapUsed)} MB after ${requests} requests (RSS ${megabytes(before.rss)} and ${megabytes(after.rss)} MB)`;
      if (leaks) finding(`memory: ${text}`);
      else console.log(`memory: ${text}`);
    }
  }
  return [...found];
}

const megabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(0);

/** The demo's own request is answered, soon. */
async function mustServe(platform: FuzzPlatform, after: string, finding: (what: string) => void): Promise<void> {
  const until = Date.now() + readyWithinMs;
  for (let last = 'nothing was asked'; ; ) {
    try {
      const answer = await fetch(`${platform.dev.base_url}/leads?limit=1`, {
        headers: { 'x-api-key': platform.store.key },
        signal: AbortSignal.timeout(5_000),
      });
      if (answer.status === 200) return;
      last = `it answered ${answer.status}`;
    } catch (error) {
      last = (error as Error).message;
    }
    if (Date.now() > until) return finding(`after ${after} the platform does not serve: ${last}`);
    await pause(200);
  }
}

process.exitCode = await main(process.argv.slice(2));
