import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { localDirectory as localDirectoryOf, root } from '../../infra/local/paths.ts';
import { freeBase } from '../../infra/local/ports.ts';
import { identify } from '../../infra/local/process-identity.ts';
import { startTemporal } from './temporal.ts';

const readyWithinMs = 180_000;
const stoppedWithinMs = 30_000;
/** Shorter than in life, so that the test of a service that hangs need not wait ten seconds. */
const requestTimeoutMs = 4_000;

/** What `npm start` writes when it is up, and what the tests know besides. */
export type PlatformAddresses = {
  localDirectory: string;
  outputFile: string;
  root: string;
  temporalControlUrl: string;
  /** Its API over HTTP. */
  temporalHttpUrl: string;
  requestTimeoutMs: number;
};

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface ProvidedContext {
    platform: PlatformAddresses;
  }
}

/**
 * Starts the platform once for all end-to-end tests, as `npm start` does, with its data in a folder of its own. Temporal
 * alone is started here, so that a test can stop it.
 */
export default async function startPlatform(project: TestProject): Promise<() => Promise<void>> {
  const localDirectory = newFolder(join(localDirectoryOf(process.env), 'e2e'));
  const outputFile = join(localDirectory, 'npm-start.log');
  const temporal = await startTemporal(localDirectory);
  const platform = await start(localDirectory, outputFile, temporal.address);
  const stop = async () => {
    const fault = await stopPlatform(platform);
    await temporal.close();
    if (fault) throw new Error(`${fault}\n${tail(outputFile)}`);
    rmSync(localDirectory, { recursive: true, force: true });
  };
  try {
    await untilReady(platform, join(localDirectory, 'dev.json'), outputFile);
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
  project.provide('platform', {
    localDirectory,
    outputFile,
    root,
    temporalControlUrl: temporal.controlUrl,
    temporalHttpUrl: temporal.httpUrl,
    requestTimeoutMs,
  });
  return stop;
}

async function start(localDirectory: string, outputFile: string, temporalAddress: string): Promise<ChildProcess> {
  const base = await freeBase(localDirectory);
  const output = openSync(outputFile, 'a');
  const child = spawn(process.execPath, [join(root, 'infra/local/dev.ts')], {
    cwd: root,
    env: {
      ...process.env,
      LOCAL_DIR: localDirectory,
      MOSTRADOR_PORT: String(base),
      MOSTRADOR_BASE_PORT: String(base),
      TEMPORAL_ADDRESS: temporalAddress,
      REQUEST_TIMEOUT_MS: String(requestTimeoutMs),
      // A test searches what is logged.
      LOG_LEVEL: 'debug',
      NODE_ENV: undefined,
      VITEST: undefined,
    },
    stdio: ['ignore', output, output],
    // A group of its own: Ctrl-C in the terminal ends vitest, which then stops the platform in order.
    detached: true,
  });
  closeSync(output);
  return child;
}

/** A folder for this run; those of runs that were killed go. */
function newFolder(runs: string): string {
  mkdirSync(runs, { recursive: true });
  for (const name of readdirSync(runs)) {
    if (!identify(Number(name))) rmSync(join(runs, name), { recursive: true, force: true });
  }
  const folder = join(runs, String(process.pid));
  mkdirSync(folder);
  return folder;
}

async function untilReady(platform: ChildProcess, addressFile: string, outputFile: string): Promise<void> {
  const until = Date.now() + readyWithinMs;
  for (;;) {
    if (platform.exitCode !== null || platform.signalCode !== null) {
      throw new Error(`the platform ended before it was ready\n${tail(outputFile)}`);
    }
    if (await isReady(addressFile)) return;
    if (Date.now() > until) throw new Error(`the platform was not ready in time\n${tail(outputFile)}`);
    await pause(100);
  }
}

async function isReady(addressFile: string): Promise<boolean> {
  try {
    const { base_url } = JSON.parse(readFileSync(addressFile, 'utf8'));
    return (await fetch(new URL('/readyz', base_url))).ok;
  } catch {
    return false;
  }
}

/** One Ctrl-C. Answers what was wrong with how it stopped. */
async function stopPlatform(platform: ChildProcess): Promise<string | undefined> {
  if (platform.exitCode !== null || platform.signalCode !== null) return 'the platform had ended by itself';
  const exited = new Promise<void>((resolve) => platform.once('exit', () => resolve()));
  platform.kill('SIGINT');
  const timer = new AbortController();
  await Promise.race([exited, pause(stoppedWithinMs, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
  if (platform.exitCode === 0) return undefined;
  if (platform.exitCode !== null) return `the platform stopped with exit code ${platform.exitCode}`;
  platform.kill('SIGKILL');
  return `the platform did not stop within ${stoppedWithinMs / 1000} s`;
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').split('\n').slice(-40).join('\n');
}
