import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listStores } from '@mostrador/contracts';
import { afterAll, expect, test } from 'vitest';
import { runHere } from '../test/run-here.ts';
import { readConfig } from './config.ts';
import { createPlatform } from './platform.ts';

const folder = mkdtempSync(join(tmpdir(), 'mostrador-admin-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'nats-url');
writeFileSync(file, 'nats://admin:hunter2@127.0.0.1:4222\n');

test('the address may come from a file', () => {
  expect(readConfig({ NATS_URL_FILE: file })).toMatchObject({ natsUrl: 'nats://admin:hunter2@127.0.0.1:4222' });
  expect(readConfig({ NATS_TLS_CA: 'ca.pem' })).toMatchObject({ natsUrl: undefined, natsTls: { caFile: 'ca.pem' } });
});

test('a fault of the environment names the variable, shows no value and does not keep the help away', async () => {
  const platform = createPlatform(readConfig({ NATS_URL_FILE: join(folder, 'hunter2') }));
  const call = platform.call(listStores, { query: {} } as never);
  await expect(call).rejects.toThrow(/NATS_URL is missing: the file that NATS_URL_FILE names cannot be read/);
  await expect(call).rejects.not.toThrow('hunter2');
  expect(await runHere(['--help'], platform)).toMatchObject({ exitCode: 0 });
  expect(await runHere(['store', 'list'], platform)).toMatchObject({ exitCode: 3 });
});
