import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { tryLock } from '../../../infra/local/lock.mjs';

/** One block of ports per clone; a name's place in this list is its offset from the base. */
const portNames = [
  'gateway',
  'postgres',
  'nats',
  'natsMonitor',
  'temporal',
  'temporalUi',
  'temporalHttp',
  'temporalMetrics',
  'crm',
  'scheduling',
  'messaging',
  'workflows',
  'postgresStandby',
  'events',
  'accounts',
  'gatewayMetrics',
  'assistant',
] as const;

export type PortName = (typeof portNames)[number];
export type Ports = Record<PortName, number>;

export const portsPerClone = 20;
// All blocks are below port 32768, from where systems assign ports to outgoing connections.
const ofClones = { first: 20_000, blocks: 600 };
/** Apart from those of clones, so that a test never takes the ports of a clone that is not running. */
const ofTests = { first: 12_000, blocks: 350 };

export const portsFrom = (base: number, gateway?: number): Ports => {
  const ports = Object.fromEntries(portNames.map((name, offset) => [name, base + offset])) as Ports;
  return gateway === undefined ? ports : { ...ports, gateway };
};

/** The bases to try for a clone. Its path determines the first one, so that a clone keeps its addresses. */
export const candidateBases = (clonePath: string): Generator<number> => basesOf(ofClones, clonePath);

function* basesOf({ first, blocks }: typeof ofClones, seed: string): Generator<number> {
  const start = createHash('sha256').update(seed).digest().readUInt32BE(0) % blocks;
  for (let step = 0; step < blocks; step += 1) yield first + ((start + step) % blocks) * portsPerClone;
}

const claimed = new Set<number>();

/**
 * Takes a block until this process ends. Servers listen seconds after their ports were found free, and without this two
 * platforms that start at once would choose the same block.
 *
 * @returns `before` when this process already has it, and undefined when another process has it
 */
export async function claimBlock(base: number): Promise<'now' | 'before' | undefined> {
  if (claimed.has(base)) return 'before';
  if (!(await tryLock(`ports ${base}`))) return undefined;
  claimed.add(base);
  return 'now';
}

/** The base of a block for the platform of a test or benchmark. No other process gets it while this one runs. */
export async function freeBase(seed: string): Promise<number> {
  for (const base of basesOf(ofTests, seed)) {
    if ((await claimBlock(base)) !== 'now') continue;
    const taken = await takenOf(portsFrom(base), portNames);
    if (taken.length === 0) return base;
  }
  throw new Error('no free block of ports');
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });

/** Returns the names whose ports are in use. */
export async function takenOf(ports: Ports, names: readonly PortName[]): Promise<PortName[]> {
  const free = await Promise.all(names.map((name) => isFree(ports[name])));
  return names.filter((_, index) => !free[index]);
}

const unused: number[] = [];
let lastTaken: Promise<unknown> = Promise.resolve();

/** A free port for a server of a test. No other test gets it while this process runs. */
export function freePort(): Promise<number> {
  const port = lastTaken.then(takePort);
  lastTaken = port.catch(() => {});
  return port;
}

export const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, freePort));

async function takePort(): Promise<number> {
  for (;;) {
    const port = unused.shift();
    if (port === undefined) {
      const base = await freeBase(`single ports of ${process.pid}`);
      unused.push(...Array.from({ length: portsPerClone }, (_, offset) => base + offset));
    } else if (await isFree(port)) return port;
  }
}
