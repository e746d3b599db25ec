import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

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
] as const;

export type PortName = (typeof portNames)[number];
export type Ports = Record<PortName, number>;

// All blocks are below port 32768, from where systems assign ports to outgoing connections.
const firstBase = 20_000;
export const portsPerClone = 20;
const blocks = 600;

export const portsFrom = (base: number, gateway?: number): Ports => {
  const ports = Object.fromEntries(portNames.map((name, offset) => [name, base + offset])) as Ports;
  return gateway === undefined ? ports : { ...ports, gateway };
};

/** The bases to try for a clone. Its path determines the first one, so that a clone keeps its addresses. */
export function* candidateBases(clonePath: string): Generator<number> {
  const start = createHash('sha256').update(clonePath).digest().readUInt32BE(0) % blocks;
  for (let step = 0; step < blocks; step += 1) yield firstBase + ((start + step) % blocks) * portsPerClone;
}

/** The base of a block without ports in use, for the platform of a test or benchmark. */
export async function freeBase(seed: string): Promise<number> {
  for (const base of candidateBases(seed)) {
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

/** A port that was free a moment ago, for servers that live as long as a test run. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
