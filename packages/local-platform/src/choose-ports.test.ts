import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { choosePorts } from './choose-ports.ts';
import { candidateBases, freeBase, freePort, freePorts, type PortName } from './ports.ts';

const needed: PortName[] = ['gateway', 'postgres', 'temporalUi'];
const servers: Server[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-ports-'));
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Another process of this machine that has chosen the block at `base`, and whose servers do not listen yet. */
async function claimElsewhere(base: number): Promise<() => Promise<unknown>> {
  const script = `import { claimBlock } from ${JSON.stringify(join(import.meta.dirname, 'ports.ts'))};
    process.stdout.write(String(await claimBlock(${base})));
    setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(String((await once(other.stdout, 'data'))[0])).toBe('now');
  return async () => {
    const exited = once(other, 'exit');
    other.kill('SIGKILL');
    await exited;
  };
}

const hold = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const server = createServer().once('error', reject);
    servers.push(server);
    server.listen(port, '127.0.0.1', resolve);
  });

test('a clone keeps its ports from one start to the next', async () => {
  const first = await choosePorts(folder, {}, needed);
  expect(await choosePorts(folder, {}, needed)).toEqual(first);
});

test('a first start skips a block with a port in use', async () => {
  const wanted = await choosePorts(folder, {}, needed);
  rmSync(join(folder, 'ports.json'));
  await hold(wanted.postgres);
  const chosen = await choosePorts(folder, {}, needed);
  expect(chosen.postgres).not.toBe(wanted.postgres);
});

test('two clones that start at once have different ports, although no server listens yet', async () => {
  const base = [...candidateBases(folder)][0] as number;
  const end = await claimElsewhere(base);
  const ports = await choosePorts(folder, {}, needed);
  expect(ports.gateway).not.toBe(base);
  writeFileSync(join(folder, 'ports.json'), JSON.stringify({ base }));
  await expect(choosePorts(folder, {}, needed)).rejects.toThrow(`Port ${base} (gateway) is in use`);
  await end();
  expect(await choosePorts(folder, {}, needed)).toMatchObject({ gateway: base });
});

test('a port or block of a test is given out once, and stays below the ports of clones', async () => {
  const bases = await Promise.all([freeBase(folder), freeBase(folder)]);
  const ports = await freePorts(50);
  expect(new Set([...bases, ...ports]).size).toBe(52);
  expect(Math.max(...bases, ...ports)).toBeLessThan(20_000);
});

test('the error for a port in use names the port and the setting that changes it', async () => {
  const ports = await choosePorts(folder, {}, needed);
  await hold(ports.gateway);
  await hold(ports.temporalUi);
  const failure = choosePorts(folder, {}, needed);
  await expect(failure).rejects.toThrow(`Port ${ports.gateway} (gateway)`);
  await expect(failure).rejects.toThrow('MOSTRADOR_PORT=');
  await expect(failure).rejects.toThrow(`Port ${ports.temporalUi} (temporalUi)`);
  await expect(failure).rejects.toThrow('MOSTRADOR_BASE_PORT=');
});

test('MOSTRADOR_PORT moves only the gateway, MOSTRADOR_BASE_PORT moves all ports', async () => {
  const usual = await choosePorts(folder, {}, needed);
  const gateway = await freePort();
  expect(await choosePorts(folder, { MOSTRADOR_PORT: String(gateway) }, needed)).toEqual({ ...usual, gateway });
  const moved = await choosePorts(folder, { MOSTRADOR_BASE_PORT: '19000' }, []);
  expect(moved).toMatchObject({ gateway: 19_000, postgres: 19_001 });
});

test('the error for an invalid port names its setting', async () => {
  await expect(choosePorts(folder, { MOSTRADOR_PORT: '80' }, needed)).rejects.toThrow('MOSTRADOR_PORT=80');
});
