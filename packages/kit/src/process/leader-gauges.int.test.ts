import { createDatabase, type Database } from '@mostrador/kit/database/database';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { waitFor } from '@mostrador/testing/wait';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { leadership } from '../database/leadership.repository.ts';
import { exportOnLeader } from './leader-gauges.ts';

const rows = { name: 'mostrador_rows', type: 'gauge', help: 'Rows.', once: true } as const;
const broken = { name: 'mostrador_broken', type: 'gauge', help: 'Cannot be read.', once: true } as const;

let kit: TestDatabase;
const running: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  kit = await createKitDatabase();
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
  await kit.drop();
});

/** A process of the service: its gauges, and its one connection. */
function startProcess(database: Database) {
  const registry = new Registry();
  let values = 0;
  const read = async () => [{ metric: rows, value: ++values }];
  const periodic = exportOnLeader({
    metrics: { registry },
    groups: [
      { metrics: [rows], read },
      { metrics: [broken], read: () => Promise.reject(new Error('no such table')) },
    ],
    leads: leadership(database, 'crm'),
    log: silentLog(),
  });
  periodic.start();
  const stop = async () => {
    await periodic.stop();
    await database.close();
  };
  running.push({ stop });
  const lines = async () =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { stop, lines };
}

const connect = () => createDatabase({ url: kit.url, size: 1, log: silentLog(), name: 'test' });
const leads = (process: { lines(): Promise<string[]> }) => async () =>
  (await process.lines()).includes('mostrador_leader 1');

test('of the processes of a service one exports the gauges, until it is gone', async () => {
  const first = startProcess(connect());
  await waitFor(leads(first), { description: 'the first leads' });
  await waitFor(async () => (await first.lines()).length === 2, { description: 'the first has read' });
  expect(await first.lines()).toEqual(['mostrador_leader 1', 'mostrador_rows 1']);
  const asked = connect();
  expect(await leadership(asked, 'crm')()).toBe(false);
  expect(await leadership(asked, 'events')()).toBe(true);
  // The server ends the session of a process that is gone, and another process leads.
  await first.stop();
  await waitFor(leadership(asked, 'crm'), { description: 'another leads' });
  await asked.close();
});

test('a process that does not lead has no values', async () => {
  const first = startProcess(connect());
  await waitFor(leads(first), { description: 'the first leads' });
  const second = startProcess(connect());
  await waitFor(async () => (await second.lines()).length === 1, { description: 'the second has asked' });
  expect(await second.lines()).toEqual(['mostrador_leader 0']);
});
