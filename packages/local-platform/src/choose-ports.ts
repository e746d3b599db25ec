import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { candidateBases, claimBlock, type PortName, type Ports, portsFrom, portsPerClone, takenOf } from './ports.ts';
import { writePrivately } from './write-privately.ts';

/** The distance from the gateway's port to a port that no process of the platform uses: the last one of the block. */
const unusedInTheBlock = portsPerClone - 1;

/**
 * Chooses the ports of this clone: from the settings, else those of its last start, else the first free block. Throws
 * when a port is in use, and names the setting. Switching silently would start a second platform beside the first.
 */
export async function choosePorts(
  localDirectory: string,
  env: NodeJS.ProcessEnv,
  needed: readonly PortName[],
): Promise<Ports> {
  const gateway = setting(env, 'MOSTRADOR_PORT');
  const chosen = setting(env, 'MOSTRADOR_BASE_PORT');
  const saved = savedBase(localDirectory);
  const base = chosen ?? saved;
  const ports = base === undefined ? await firstFree(localDirectory, gateway, needed) : portsFrom(base, gateway);
  // Who sets the ports answers for them: the tests that start this process have claimed them.
  const lost = chosen === undefined && saved !== undefined && (await claimBlock(saved)) === undefined;
  const taken = lost ? needed : await takenOf(ports, needed);
  if (taken.length > 0) throw new Error(taken.map((name) => complaint(name, ports[name])).join('\n'));
  return ports;
}

async function firstFree(
  localDirectory: string,
  gateway: number | undefined,
  needed: readonly PortName[],
): Promise<Ports> {
  // The caller checks a gateway port from the settings, because another block would not free it.
  const ours = needed.filter((name) => gateway === undefined || name !== 'gateway');
  for (const base of candidateBases(localDirectory)) {
    if ((await claimBlock(base)) === undefined || (await takenOf(portsFrom(base), ours)).length > 0) continue;
    writePrivately(join(localDirectory, 'ports.json'), { base });
    return portsFrom(base, gateway);
  }
  throw new Error('No block of free ports was found. Set the first port with MOSTRADOR_BASE_PORT.');
}

function complaint(name: PortName, port: number): string {
  const variable = name === 'gateway' ? 'MOSTRADOR_PORT' : 'MOSTRADOR_BASE_PORT';
  const other = (name === 'gateway' ? unusedInTheBlock : 100 - (port % 100)) + port;
  return `Port ${port} (${name}) is in use by another program. Stop it, or choose another port: ${variable}=${other} npm start`;
}

function savedBase(localDirectory: string): number | undefined {
  try {
    return JSON.parse(readFileSync(join(localDirectory, 'ports.json'), 'utf8')).base;
  } catch {
    return undefined;
  }
}

function setting(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1024 || port > 65_500) {
    throw new Error(`${name}=${text} is not a port between 1024 and 65500.`);
  }
  return port;
}
