import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Child, createChildren, type ProcessSpec, untilReady } from '@mostrador/local-platform/children';
import { freeBase, portsFrom } from '@mostrador/local-platform/ports';
import { readSecrets } from '@mostrador/local-platform/secrets';
import { provideNats, providePostgres, provideTemporal } from '@mostrador/local-platform/servers/servers';
import type { ServiceOptions } from '@mostrador/local-platform/services';
import { type ProcessName, processNames, serviceNames } from '../../packages/platform/src/processes.ts';
import { adminIn, type MountedImage, migrateIn, privilegesOf, specIn } from './run-images.ts';

/** How long each process took from its start until it was ready, in milliseconds, and what is wrong. */
export type Tried = { readonly readyMs: Readonly<Record<string, number>>; readonly faults: readonly string[] };

const stopWithinMs = 10_000;

/**
 * Starts PostgreSQL, NATS and Temporal of this machine, migrates with the images, starts each process in its image, and
 * takes one appointment through all of them to a calendar.
 */
export async function tryImages(
  images: Readonly<Record<ProcessName | 'admin', MountedImage>>,
  build: { readonly version: string; readonly revision: string },
  say: (text: string) => void,
): Promise<Tried> {
  const localDirectory = mkdtempSync(join(tmpdir(), 'mostrador-images-'));
  const children = createChildren(join(localDirectory, 'children.json'));
  const servers: Child[] = [];
  const running = new Map<ProcessName, Child>();
  const launch = async (spec: ProcessSpec): Promise<Child> => {
    const child = children.start(spec);
    servers.push(child);
    await untilReady(spec, child);
    return child;
  };
  const faults: string[] = [];
  const readyMs: Record<string, number> = {};
  try {
    say('starting PostgreSQL, NATS and Temporal');
    const { postgresPassword: password, encryptionKeys } = readSecrets(localDirectory);
    const ports = portsFrom(await freeBase(localDirectory));
    const start = async (spec: ProcessSpec) => void (await launch(spec));
    const given = { localDirectory, env: process.env, ports, password, start, report: say };
    const [databaseUrl, natsUrl, temporal] = await Promise.all([
      providePostgres(given),
      provideNats(given),
      provideTemporal(given),
    ]);
    const addresses = { databaseUrl, natsUrl, ...temporal };
    const options: ServiceOptions = {
      ...{ ...addresses, localDirectory, env: {}, ports, password, encryptionKeys, shutdownTimeoutMs: stopWithinMs },
    };
    for (const name of serviceNames) {
      say(`migrating ${name}`);
      await runOnce(migrateIn(name, images[name], options));
    }
    for (const name of processNames) {
      const spec = specIn(name, images[name], options);
      const since = performance.now();
      const child = children.start(spec);
      running.set(name, child);
      await untilReady({ ...spec, isReady: () => answers(`http://127.0.0.1:${ports[name]}/healthz`) }, child);
      readyMs[name] = Math.round(performance.now() - since);
      faults.push(...privilegesOf(child.pid).map((fault) => `${name} ${fault}`));
    }
    for (const name of processNames) {
      const child = running.get(name) as Child;
      await untilReady(specIn(name, images[name], options), child);
      const told = await (await fetch(`http://127.0.0.1:${ports[name]}/version`)).json();
      const wanted = name === 'gateway' ? { version: build.version } : build;
      if (JSON.stringify(told) !== JSON.stringify(wanted)) faults.push(`${name} says ${JSON.stringify(told)}`);
    }
    say('taking an appointment through all processes');
    const admin = async (line: string) => JSON.parse(await runOnce(adminIn(line, images.admin, options)));
    faults.push(...(await tour(`http://127.0.0.1:${ports.gateway}`, admin)));
    for (const [name, child] of running) {
      await child.stop(stopWithinMs);
      const how = await child.exited;
      if (how !== 'exit code 0') faults.push(`${name} stopped with ${how}: ${child.tail()}`);
    }
    return { readyMs, faults };
  } finally {
    for (const child of running.values()) child.kill();
    await Promise.all(servers.map((child) => child.stop(stopWithinMs)));
    rmSync(localDirectory, { recursive: true, force: true });
  }
}

async function tour(origin: string, admin: (line: string) => Promise<Record<string, string>>): Promise<string[]> {
  const { id: store } = await admin('store create --name images --tier pro');
  const { api_key: key } = await admin(`key create --store ${store} --name images`);
  await admin(`calendar connect --store ${store} --provider feed`);
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${origin}/integrations/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': key ?? '', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const when = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await ask('/appointments', { title: 'Eye test', scheduled_at: when, duration_minutes: 45 });
  let state: unknown;
  for (const until = Date.now() + 60_000; Date.now() < until && state !== 'synced'; await pause(100)) {
    ({ state } = await ask(`/appointments/${id}/calendar-sync`));
  }
  const pages = await Promise.all(
    ['/console', '/docs', '/docs/guides/tour', '/openapi.json'].map(async (path) => {
      const { status } = await fetch(`${origin}${path}`);
      return status === 200 ? [] : [`${path} of the gateway answers ${status}`];
    }),
  );
  return [...(state === 'synced' ? [] : [`the calendar sync of an appointment is ${state}`]), ...pages.flat()];
}

const answers = (url: string): Promise<true | string> =>
  fetch(url).then(
    ({ ok, status }) => ok || `${status}`,
    (error: Error) => error.message,
  );

/** Runs a command in an image to its end, and returns its standard output. */
async function runOnce(run: { command: string; args: string[]; env: NodeJS.ProcessEnv }): Promise<string> {
  const child = spawn(run.command, run.args, { env: run.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  const [output, faults, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  if (code !== 0) throw new Error(`${run.args.slice(5).join(' ')} ended with exit code ${code}:\n${output}${faults}`);
  return output;
}
