import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createChildren, httpAnswers, type ProcessSpec, readyWithinMs } from '@mostrador/local-platform/children';
import { migrateAll } from '@mostrador/local-platform/migrations';
import { localDirectory, root } from '@mostrador/local-platform/paths';
import { freeBase, freePort, portsFrom } from '@mostrador/local-platform/ports';
import { providePrograms } from '@mostrador/local-platform/programs';
import { serviceSpec } from '@mostrador/local-platform/services';
import { type InsideCall, withInsideClient } from '@mostrador/testing/platform/inside-client';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import { startRadicale } from '@mostrador/testing/providers/caldav/servers';
import { startPythonReceiver } from '@mostrador/testing/providers/webhook-receiver/python-receiver';
import type { Random } from '@mostrador/testing/random';
import { canMakeCertificates, makeCertificates, trustAuthority } from '@mostrador/testing/servers/certificates';
import { waitFor } from '@mostrador/testing/wait';
import { startAnsweringModel } from './conversations.ts';
import { mountSmallDisk, type SmallDisk, unmount } from './disk.ts';
import { preload } from './preload.ts';
import { allProcesses, createProcesses, type ProcessName, type TwinName, twinOf } from './processes.ts';
import { type Phone, startPhones } from './providers.ts';
import { startServers } from './servers.ts';
import { startWays } from './ways.ts';

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** The link to the provider that many stores share. */
export const crowdsWay = 'messaging → the whatsapp of many';
/** Shorter than in production, so that a run makes more requests per minute. */
export const requestTimeoutMs = 4_000;
/** The share of the events of which an endpoint refuses the first attempt. */
const failingEvents = 0.03;
const diskNames = ['disk-1', 'disk-2'] as const;
const serverNames = ['postgres', 'nats', 'temporal'] as const;
/** The settings that hold each server's address. */
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
  events: ['postgres', 'nats', 'temporal'],
  accounts: ['postgres', 'nats', 'temporal'],
  assistant: ['postgres', 'nats', 'temporal'],
  workflows: ['nats', 'temporal'],
};

/**
 * Starts the whole platform, with its processes as `npm start` runs them. This program controls the servers, the
 * providers and the network links between them. `beside` is a checkout of another version, whose code the second
 * instances run. `broken` names the break (`breaks.ts`) in the code of all processes.
 */
export async function startPlatform(options: {
  random: Random;
  /** The number of stores with a WhatsApp stand-in each. */
  phones: number;
  /** The number of further stores that share one stand-in, as all numbers of WhatsApp share one API. Default: 0. */
  crowd?: number;
  diskMegabytes: number;
  /** Whether there is a model, so that the AI of a store can answer. */
  answers?: boolean;
  beside?: string | undefined;
  broken?: string | undefined;
  /** Further settings of all processes. */
  environment?: NodeJS.ProcessEnv;
  /** Further settings of PostgreSQL: `name=value`. */
  postgresSettings?: readonly string[];
}) {
  const runs = runFolders(join(localDirectory(process.env), 'chaos'));
  // A killed or failed run leaves its folder behind. Its disk is a tmpfs, which takes memory.
  await runs.removeDead(async (dead) => {
    await createChildren(join(dead, 'children.json')).stopSurvivors(3000);
    for (const name of diskNames) unmount(join(dead, name));
  });
  const folder = runs.create();
  const children = createChildren(join(folder, 'children.json'));
  const ports = portsFrom(await freeBase(folder));
  const password = randomBytes(16).toString('hex');
  const postgresFolders = diskNames.map((name) => join(folder, name)) as [string, string];
  const certificates = canMakeCertificates ? makeCertificates() : undefined;
  if (certificates) trustAuthority(certificates.ca);
  const disks = postgresFolders.map((path) => mountSmallDisk(path, options.diskMegabytes));
  const [servers, radicale, ways, receiver, model, providers] = await Promise.all([
    startServers({ folder, postgresFolders, ports, password, tls: certificates?.server, children, ...options }),
    startRadicale(),
    startWays(children),
    startPythonReceiver({ failing: failingEvents }),
    options.answers ? startAnsweringModel(options.random) : undefined,
    Promise.all([
      ...Array.from({ length: options.phones }, (_, index) => startPhones(index, 1, options.random)),
      ...(options.crowd ? [startPhones(options.phones, options.crowd, options.random)] : []),
    ]),
  ]);
  // The other version works until the contract step.
  await migrateAll(servers.databaseUrl, password, { info: () => {} }, { contract: options.beside === undefined });

  const addresses = {
    postgres: [ports.postgres, ports.postgresStandby].map((port) => `127.0.0.1:${port}`).join(),
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
  const toProviders = await Promise.all(
    providers.map(({ server }, index) =>
      ways.open(index < options.phones ? `messaging → whatsapp ${index + 1}` : crowdsWay, new URL(server.apiUrl).host),
    ),
  );
  const urls = new Map(
    providers.map(({ server }, index) => [server, through(server.apiUrl, toProviders[index] as string)]),
  );

  const twinPorts = new Map<ProcessName, number>();
  // A break is in the sources, and so is another version.
  const fromSources = options.broken !== undefined || options.beside !== undefined;
  const specOptions = {
    ...servers,
    ...(!fromSources && { programs: await providePrograms() }),
    // Only for its caches.
    localDirectory: localDirectory(process.env),
    env: {
      ...process.env,
      REQUEST_TIMEOUT_MS: String(requestTimeoutMs),
      LOG_LEVEL: 'warn',
      WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
      ...(certificates && { NODE_EXTRA_CA_CERTS: certificates.ca }),
      ...options.environment,
    },
    password,
    encryptionKeys: `chaos:${randomBytes(32).toString('base64')}`,
    shutdownTimeoutMs: 5_000,
  };
  const portOfTwin = async (name: ProcessName): Promise<number> => {
    const port = twinPorts.get(name) ?? (await freePort());
    twinPorts.set(name, port);
    return port;
  };
  const specOf = async (name: ProcessName | TwinName): Promise<ProcessSpec> => {
    const process = name.replace('-2', '') as ProcessName;
    const isTwin = name !== process;
    const port = isTwin ? await portOfTwin(process) : ports[process];
    const spec = serviceSpec(process, {
      ...specOptions,
      ports: { ...ports, [process]: port, ...(isTwin && { gatewayMetrics: 0 }) },
    });
    const env = { ...spec.env };
    for (const server of used[process]) {
      for (const setting of settingsOf[server]) {
        const address = env[setting];
        if (address) env[setting] = through(address, begins.get(`${process} → ${server}`) as string);
      }
    }
    const ofOtherVersion = (arg: string) => {
      const other = arg.replace(root, options.beside as string);
      return existsSync(other) ? other : arg;
    };
    // The other version may lack a service.
    const args = isTwin && options.beside ? spec.args.map(ofOtherVersion) : spec.args;
    const broken = options.broken === undefined ? [] : preload('broken-code.ts', { name: options.broken });
    // The second gateway has the first one's public URL.
    return { ...spec, name, args: [...broken, ...args], env: { ...env, PUBLIC_URL: `http://${gateway}` } };
  };
  const processes = createProcesses({ children, folder, specOf });

  const unmountDisks = () => postgresFolders.forEach(unmount);
  const gateways = new Set([`http://${fromClients}`]);
  const platform = {
    folder,
    servers,
    ports,
    processes,
    ways,
    radicale,
    receiver,
    model,
    phones: providers.slice(0, options.phones).flatMap(({ phones }) => phones),
    crowd: providers.slice(options.phones).flatMap(({ phones }) => phones),
    /** Whether the processes connect to PostgreSQL over TLS, and check its certificate. */
    isSecured: certificates !== undefined,
    /** The file of the authority that all processes trust (`NODE_EXTRA_CA_CERTS`). Undefined: they have none. */
    authority: certificates?.ca,
    /** The small disk of the current PostgreSQL, or the reason why there is none. */
    disk: () => disks[postgresFolders.indexOf(servers.postgres.folder())] as SmallDisk | string,
    /** The address of a calendar at Radicale, over the link of scheduling. */
    calendarUrlOf: (url: string): string => through(url, toCalendar),
    /** The API of a phone's provider, as a channel's `api_url`. */
    apiUrlOf: ({ server }: Phone): string => urls.get(server) as string,
    /** The API's current base URLs: two while there are two gateways. */
    baseUrls: () => [...gateways].map((url) => `${url}/integrations/v1`),
    webhookUrl: (channelId: string) => `http://${fromWhatsapp}/channels/whatsapp/${channelId}/webhook`,
    portOfTwin,
    /** Starts a second instance with a clock that is ahead. It lives, but it must never get ready. */
    async startSkewedTwin(name: Exclude<ProcessName, 'gateway'>, aheadMs: number) {
      await processes.launch(twinOf(name), preload('skewed-clock.ts', { ms: String(aheadMs) }));
      const url = `http://127.0.0.1:${twinPorts.get(name)}/healthz`;
      await waitFor(async () => (await httpAnswers(url)) === true, {
        description: `the second ${name} lives`,
        timeoutMs: 60_000,
      });
    },
    /** Starts a second instance of a process. Resolves when it is ready. Clients then use both gateways. */
    async startTwin(name: ProcessName) {
      await processes.start(twinOf(name));
      if (name === 'gateway') gateways.add(`http://127.0.0.1:${twinPorts.get('gateway')}`);
    },
    async stopTwin(name: ProcessName) {
      // Clients stop using it before it stops, as a load balancer would do it.
      if (name === 'gateway') gateways.delete(`http://127.0.0.1:${twinPorts.get('gateway')}`);
      await processes.stop(twinOf(name));
    },
    /** Adds the first gateway to the clients' base URLs, or removes it. */
    balance: (toFirst: boolean) =>
      void (toFirst ? gateways.add(`http://${fromClients}`) : gateways.delete(`http://${fromClients}`)),
    untilReady: (limitMs = readyWithinMs) =>
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
    /** Runs `work` with an RPC client over NATS, like the admin command. */
    inside: <T>(work: (call: InsideCall) => Promise<T>): Promise<T> => withInsideClient(servers.natsUrl, work),
    async stop() {
      await processes.stopAll();
      const { postgres, nats, temporal } = servers;
      for (const server of [postgres, nats, temporal]) server.goOn();
      await Promise.all([postgres.stop(), nats.stop(), temporal.stop(), radicale.dispose(), receiver.stop()]);
      await Promise.all(providers.map((provider) => provider.close()));
      model?.stop();
      await children.stopSurvivors(5_000);
      certificates?.remove();
    },
    /** Keeps data and logs for inspection, and unmounts the disks, which take memory. */
    keep() {
      cpSync(join(servers.postgres.folder(), 'postgres'), join(folder, 'postgres'), { recursive: true });
      unmountDisks();
    },
    /** Deletes data and logs. */
    remove() {
      unmountDisks();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await processes.start(...allProcesses);
    if (certificates) await servers.postgres.mustBeSecured();
  } catch (error) {
    await platform.stop();
    platform.keep();
    throw error;
  }
  return platform;
}

const through = (address: string, way: string): string =>
  address.includes('://') ? address.replace(new URL(address).host, way) : way;
