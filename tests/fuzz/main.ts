import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runCommand } from '@mostrador/testing/command';
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

Starts a platform and sends it random input. The gateway gets broken HTTP, JSON bombs, large headers and slow bodies.
Every NATS subject and the channel webhook get random bytes. The adapters get random answers from providers.
Schemathesis runs stateful tests on every operation. No process may crash, hang, leak memory, or answer outside the
error catalogue.

  --seconds N   total time of the parts HTTP, subjects, webhook and providers (default 240)
  --seed N      seed of the random input; a run prints its seed, so that it can be repeated
  --examples N  examples of each operation by schemathesis (default 1000: up to half an hour; 0 for none)
  --requests N  requests between two measurements of memory (default 36000, ten a second for an hour; 0 for none)
  --only PART   run one part: ${['HTTP', 'subjects', 'webhook', 'providers', 'schemathesis', 'memory'].join(', ')}
  --help        show this text

Exit codes: 0 no findings, 1 findings, 2 wrong usage.`;

const parts: readonly Part[] = [http, subjects, webhook, providers];
const readyWithinMs = 90_000;

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
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} must be a whole number, 0 or more.`);
  }
  return { ...numbers, only: values.only };
}

type Settings = NonNullable<ReturnType<typeof settingsOf>>;

async function main(settings: Settings): Promise<number> {
  const platform = await startFuzzPlatform();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void platform.stop().finally(() => process.exit(130)));
  }
  try {
    const found = await fuzz(platform, settings);
    console.log(
      found.length === 0 ? '\nNo findings.' : `\n${found.length} findings. The logs are in ${platform.folder}.`,
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
    // Findings that differ only in ids and numbers count once.
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
    for (const name of endedSince()) finding(`${part.name}: the process ${name} exited`);
    await mustServe(platform, part.name, finding);
    console.log(`${part.name}: ${tries} tries`);
  }
  if (examples > 0 && (only === undefined || only === 'schemathesis')) {
    console.log(`schemathesis: up to ${examples} examples of each operation`);
    const endedSince = platform.watch();
    const { report, exitCode } = await runSchemathesis({
      documentUrl: `${platform.gatewayUrl}/docs/json`,
      key: platform.store.key,
      seed: String(seed),
      examples: String(examples),
      limitMs: 4 * 3_600_000,
    });
    if (exitCode !== 0) finding(`schemathesis: ${report}`);
    for (const name of endedSince()) finding(`schemathesis: the process ${name} exited`);
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
      const text = `${name} holds ${megabytes(before.heapUsed)} MB before and ${megabytes(after.heapUsed)} MB after ${requests} requests (RSS ${megabytes(before.rss)} MB and ${megabytes(after.rss)} MB)`;
      if (leaks) finding(`memory: ${text}`);
      else console.log(`memory: ${text}`);
    }
  }
  return [...found];
}

const megabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(0);

/** Reports a finding unless a simple request succeeds within 15 s. */
async function mustServe(platform: FuzzPlatform, after: string, finding: (what: string) => void): Promise<void> {
  const until = Date.now() + readyWithinMs;
  for (let last = 'no request was sent'; ; ) {
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
    if (Date.now() > until) return finding(`after ${after} the platform no longer answers: ${last}`);
    await pause(200);
  }
}

process.exitCode = await runCommand(process.argv.slice(2), help, settingsOf, main);
