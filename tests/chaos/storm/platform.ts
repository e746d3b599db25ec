import { randomBytes } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type InsideCall, withInsideClient } from '@mostrador/testing/platform/inside-client';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import { startRadicale } from '@mostrador/testing/providers/caldav/servers';
import type { Random } from '@mostrador/testing/random';
import { waitFor } from '@mostrador/testing/wait';
import { createChildren, httpAnswers, type ProcessSpec } from '../../../infra/local/children.ts';
import { localDirectory, root } from '../../../infra/local/paths.ts';
import { freeBase, freePort, portsFrom } from '../../../infra/local/ports.ts';
import { migrateAll, serviceSpec } from '../../../infra/local/services.ts';
import { mountSmallDisk, unmount } from './disk.ts';
import { allProcesses, createProcesses, type ProcessName, type TwinName, twinOf } from './processes.ts';
import { type Phone, startPhone } from './providers.ts';
import { startServers } from './servers.ts';
import { startWays } from './ways.ts';

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Shorter than in life, so that more happens in a minute. */
export const requestTimeoutMs = 4_000;
const serverNames = ['postgres', 'nats', 'temporal'] as const;
/** Which setting holds the address of which server. */
const settingsOf = {
  postgres: ['DATABASE_URL', 'DATABASE_SYSTEM_URL'],
  nats: ['NATS_URL'],
  temporal: ['TEMPORAL_ADDRESS'],
} as const;
const used: Readonly<Record<ProcessName, readonly (typeof serverNames)[number][]>> = {
  gateway: ['postgres', 'nats'],
  crm: ['postgres', 'nats', 'temporal'],
  scheduling: ['postgres', 'nats', 'temporal'],
  messaging: ['postgres', 'nats', 'temporal'],
  workflows: ['nats', 'temporal'],
};

/**
 * The whole platform with its processes as `npm start` runs them, on servers, providers and ways that this program holds
 * in its hand. `beside` is the checkout of another version, of which the second processes are; `broken` names the break
 * (`breaks.ts`) that is in the code of all.
 */
export async function startPlatform(options: {
  random: Random;
  phones: number;
  diskMegabytes: number;
  beside?: string | undefined;
  broken?: string | undefined;
}) {
  const runs = runFolders(join(localDirectory(process.env), 'chaos'));
  // A run that was killed or has failed leaves its folder behind. Its disk takes memory.
  await runs.removeDead(async (dead) => {
    await createChildren(join(dead, 'children.json')).stopSurvivors(3000);
    unmount(join(dead, 'disk'));
  });
  const folder = runs.create();
  const children = createChildren(join(folder, 'children.json'));
  const ports = portsFrom(await freeBase(folder));
  const password = randomBytes(16).toString('hex');
  const disk = mountSmallDisk(join(folder, 'disk'), options.diskMegabytes);
  const [servers, radicale, ways, phones] = await Promise.all([
    startServers({ folder, postgresFolder: join(folder, 'disk'), ports, password, children }),
    startRadicale(),
    startWays(children),
    Promise.all(Array.from({ length: options.phones }, (_, index) => startPhone(index, options.random))),
  ]);
  await migrateAll(servers.databaseUrl, password, { info: () => {} });

  const addresses = {
    postgres: new URL(servers.databaseUrl).host,
    nats: new URL(servers.natsUrl).host,
    temporal: servers.temporalAddress,
  };
  const begins = new Map<string, string>();
  for (const name of allProcesses) {
    for (const server of used[name]) {
      begins.set(`${name} → ${server}`, await ways.open(`${name} → ${server}`, addresses[server]));
    }
  }
  const gateway = `127.0.0.1:${ports.gateway}`;
  const fromClients = await ways.open('clients → gateway', gateway);
  const fromWhatsapp = await ways.open('whatsapp → gateway', gateway);
  const toCalendar = await ways.open('scheduling → calendar', new URL(radicale.collectionUrl).host);
  const toPhones = await Promise.all(
    phones.map(({ server }, index) => ways.open(`messaging → whatsapp ${index + 1}`, new URL(server.apiUrl).host)),
  );

  const twinPorts = new Map<ProcessName, number>();
  const specOptions = {
    ...servers,
    // Of it only the caches are used.
    localDirectory: localDirectory(process.env),
    env: { ...process.env, REQUEST_TIMEOUT_MS: String(requestTimeoutMs), LOG_LEVEL: 'warn' },
    password,
    encryptionKeys: `chaos:${randomBytes(32).toString('base64')}`,
    shutdownTimeoutMs: 5_000,
  };
  const specOf = async (name: ProcessName | TwinName): Promise<ProcessSpec> => {
    const process = name.replace('-2', '') as ProcessName;
    const isTwin = name !== process;
    const port = isTwin ? (twinPorts.get(process) ?? (await freePort())) : ports[process];
    if (isTwin) twinPorts.set(process, port);
    const spec = serviceSpec(process, { ...specOptions, ports: { ...ports, [process]: port } });
    const env = { ...spec.env };
    for (const server of used[process]) {
      for (const setting of settingsOf[server]) {
        const address = env[setting];
        if (address) env[setting] = through(address, begins.get(`${process} → ${server}`) as string);
      }
    }
    const args =
      isTwin && options.beside ? spec.args.map((arg) => arg.replace(root, options.beside as string)) : spec.args;
    const broken = options.broken === undefined ? [] : ['--import', brokenCode(options.broken)];
    // What is public stays the first gateway's.
    return { ...spec, name, args: [...broken, ...args], env: { ...env, PUBLIC_URL: `http://${gateway}` } };
  };
  const processes = createProcesses({ children, folder, specOf });

  const gateways = new Set([`http://${fromClients}`]);
  const platform = {
    folder,
    servers,
    ports,
    processes,
    ways,
    radicale,
    phones,
    /** Why there is none, where it is a text. */
    disk,
    calendarUrl: through(radicale.collectionUrl, toCalendar),
    phoneUrls: phones.map(({ server }, index) => through(server.apiUrl, toPhones[index] as string)),
    /** Where the API is reached at this moment; two places while there are two gateways. */
    baseUrls: () => [...gateways].map((url) => `${url}/integrations/v1`),
    webhookUrl: (channelId: string) => `http://${fromWhatsapp}/channels/whatsapp/${channelId}/webhook`,
    /** A second one of a process, from when it is ready on; clients use both gateways. */
    async startTwin(name: ProcessName) {
      await processes.start(twinOf(name));
      if (name === 'gateway') gateways.add(`http://127.0.0.1:${twinPorts.get('gateway')}`);
    },
    async stopTwin(name: ProcessName) {
      // As a balancer takes it out before it is stopped.
      if (name === 'gateway') gateways.delete(`http://127.0.0.1:${twinPorts.get('gateway')}`);
      await processes.stop(twinOf(name));
    },
    /** Takes the first gateway out of the balance, and in again. */
    balance: (toFirst: boolean) =>
      void (toFirst ? gateways.add(`http://${fromClients}`) : gateways.delete(`http://${fromClients}`)),
    untilReady: (limitMs: number) =>
      waitFor(
        async () => {
          const answers = await Promise.all(
            allProcesses.map((name) => httpAnswers(`http://127.0.0.1:${ports[name]}/readyz`)),
          );
          const faults = answers.flatMap((answer, index) =>
            answer === true ? [] : `${allProcesses[index]}: ${answer}`,
          );
          if (faults.length > 0) throw new Error(faults.join('; '));
          return true;
        },
        { description: 'every process is ready', timeoutMs: limitMs, intervalMs: 100 },
      ),
    /** Works with a client of the platform's inside, as the admin command does. */
    inside: <T>(work: (call: InsideCall) => Promise<T>): Promise<T> => withInsideClient(servers.natsUrl, work),
    async stop() {
      await processes.stopAll();
      const { postgres, nats, temporal } = servers;
      for (const server of [postgres, nats, temporal]) server.goOn();
      await Promise.all([postgres.stop(), nats.stop(), temporal.stop(), radicale.dispose()]);
      await Promise.all(phones.map((phone: Phone) => phone.close()));
      await children.stopSurvivors(5_000);
    },
    /** For who wants to look into it: its data and its logs, and no disk that takes memory. */
    keep() {
      if (typeof disk === 'string') return;
      cpSync(join(disk.folder, 'postgres'), join(folder, 'postgres'), { recursive: true });
      disk.remove();
    },
    /** Its data and its logs. */
    remove() {
      if (typeof disk !== 'string') disk.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await processes.start(...allProcesses);
  } catch (error) {
    await platform.stop();
    platform.keep();
    throw error;
  }
  return platform;
}

const brokenCode = (name: string): string => {
  const url = pathToFileURL(join(import.meta.dirname, 'broken-code.ts'));
  url.searchParams.set('name', name);
  return url.href;
};

const through = (address: string, way: string): string =>
  address.includes('://') ? Object.assign(new URL(address), { host: way }).href : way;
