import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { choosePorts } from './choose-ports.ts';
import { freePort, type PortName } from './ports.ts';

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
