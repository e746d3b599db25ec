import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { readConfig } from '../../apps/admin/src/config.ts';
import { createPlatform } from '../../apps/admin/src/platform.ts';
import { type Ended, runHere } from '../../apps/admin/test/run-here.ts';
import { adminOver, type Json, jsonOf } from './any-platform.ts';

export { daysAhead, eventually, type Json } from './any-platform.ts';

const platform = inject('platform');

type Addresses = {
  base_url: string;
  docs_url: string;
  nats_url: string;
  temporal_address: string;
  feed_url: string;
  sandbox_url: string;
  console_url: string;
  console_login_url: string;
  stores: { id: string; name: string; tier: string; api_key: string }[];
};

/** The addresses that `npm start` wrote. */
export const addresses: Addresses = JSON.parse(readFileSync(join(platform.localDirectory, 'dev.json'), 'utf8'));

/** The demo store of a tier. */
export function storeOf(tier: string) {
  const store = addresses.stores.find((candidate) => candidate.tier === tier);
  if (!store) throw new Error(`there is no demo store of tier ${tier}`);
  return store;
}

/** The gateway's root URL, which serves the probes, the documentation and the calendar feeds. */
export const gatewayUrl = new URL(addresses.base_url).origin;

export type Answer = { status: number; headers: Headers; body: Json; text: string };

/** Sends a request to the API. `path` is below the version prefix. A body that is not a string is sent as JSON. */
export async function request(
  method: string,
  path: string,
  options: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.key !== undefined) headers['x-api-key'] = options.key;
  if (options.body !== undefined) headers['content-type'] ??= 'application/json';
  const response = await fetch(`${addresses.base_url}${path}`, {
    method,
    headers,
    body: typeof options.body === 'string' || options.body === undefined ? options.body : JSON.stringify(options.body),
  });
  const answer = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') && answer !== '';
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(answer) : undefined,
    text: answer,
  };
}

/** Gets JSON that the gateway serves outside the API's prefix. */
export async function document(path: string): Promise<Json> {
  return (await fetch(`${gatewayUrl}${path}`)).json();
}

/** Runs `npm run admin -- …` without npm, in a process of its own. */
export async function runAdmin(argv: readonly string[], input = '') {
  const child = spawn(process.execPath, [join(platform.root, 'apps/admin/src/main.ts'), ...argv], {
    cwd: platform.root,
    env: { ...process.env, LOCAL_DIR: platform.localDirectory, NATS_URL: '' },
  });
  child.stdin.end(input);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [out, err, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out, err, exitCode };
}

/** Runs an admin command that must succeed, as `runAdmin` does, and returns its JSON. */
export const adminProcess = async (argv: readonly string[], input?: string): Promise<Json> =>
  jsonOf(argv, await runAdmin([...argv, '--json'], input));

// The files of a worker share it.
const connection = createPlatform(readConfig({ LOCAL_DIR: platform.localDirectory }));

/** Does what `runAdmin` does without a process, which would take most of a second. */
export const runAdminHere = (argv: readonly string[], input = ''): Promise<Ended> =>
  runHere([...argv], connection, input);

/** Does what `adminProcess` does without a process. */
export const admin = (argv: readonly string[], input = ''): Promise<Json> => adminOver(connection, argv, input);

/** Writes a file for an admin command, as JSON unless it is a text. It is removed with the folder of the run. */
export function fileOf(name: string, content: string | object): string {
  const file = join(mkdtempSync(join(platform.localDirectory, 'file-')), name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

/** Creates a store with a key that has every scope. */
export async function newStore(options: { tier?: string; arguments?: string[] } = {}) {
  const name = `e2e ${randomUUID()}`;
  const store = await admin([
    'store',
    'create',
    '--name',
    name,
    '--tier',
    options.tier ?? 'pro',
    ...(options.arguments ?? []),
  ]);
  const { api_key: key } = await admin(['key', 'create', '--store', store.id, '--name', 'e2e']);
  return { id: store.id as string, name, key: key as string };
}

/** The running processes of the platform. */
export function processes(): { name: string; pid: number }[] {
  mustBeAlone();
  return JSON.parse(readFileSync(join(platform.localDirectory, 'children.json'), 'utf8'));
}

/** Throws in a file beside which others run, because they use the same platform. */
function mustBeAlone(): void {
  if (!inject('alone')) throw new Error('vitest.config.ts must list this file among those that run alone');
}

/** Sends a signal to a process of the platform. One that ends is started again. */
export function signal(name: string, what: NodeJS.Signals): void {
  const found = processes().find((candidate) => candidate.name === name);
  if (!found) throw new Error(`${name} is not running`);
  process.kill(found.pid, what);
}

/** Stops or starts the Temporal server that the platform uses. */
export async function temporal(action: 'stop' | 'start'): Promise<void> {
  mustBeAlone();
  const response = await fetch(`${platform.temporalControlUrl}/${action}`, { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
}
