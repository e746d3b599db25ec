import { randomBytes } from 'node:crypto';
import { silentLog } from '@mostrador/testing/context';
import { type TestTemporal, testTemporal } from '@mostrador/testing/servers/temporal';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NotReady } from '../process/health.ts';
import { connectTemporal, type Temporal } from './temporal.ts';
import { prepareNamespace } from './temporal-prepare.ts';

let server: TestTemporal;
const opened: Temporal[] = [];

beforeAll(async () => {
  server = await testTemporal();
});
afterAll(async () => {
  for (const temporal of opened) await temporal.close();
  await server?.close();
});

function check(namespace: string, address = server.address): Promise<void> {
  const temporal = connectTemporal({ address, namespace, log: silentLog() });
  opened.push(temporal);
  return temporal.checkNamespace();
}

test('a namespace with the search attributes is usable', () => check(server.namespace));

test.each([
  ['does not exist', 'nowhere', 'Temporal has no namespace nowhere: create it, or set TEMPORAL_NAMESPACE.'],
  // Temporal's own namespace has only its own attributes.
  ['lacks the search attributes', 'temporal-system', 'lacks the search attributes StoreId, LeadId, EntityId of type'],
])('a namespace that %s is not usable, and the reason says what to do', async (_, namespace, reason) => {
  const refused = await check(namespace).catch((error) => error);
  expect(refused).toBeInstanceOf(NotReady);
  expect(refused.message).toContain(reason);
});

test('a Temporal that does not answer proves nothing about the namespace', async () => {
  const refused = await check(server.namespace, '127.0.0.1:1').catch((error) => error);
  expect(refused).toBeInstanceOf(Error);
  expect(refused).not.toBeInstanceOf(NotReady);
});

test('a namespace is created with its search attributes, is usable, and keeps its retention when it is prepared again', async () => {
  const namespace = `prepared-${randomBytes(6).toString('hex')}`;
  const said: string[] = [];
  const prepare = (retentionDays?: number) =>
    prepareNamespace({
      ...{ server: { address: server.address }, namespace, retentionDays },
      log: { info: (text) => void said.push(text) },
    });
  const added = ['StoreId', 'LeadId', 'EntityId'];
  expect(await prepare()).toEqual({ created: true, retentionDays: 7, added });
  await check(namespace);
  expect(await prepare()).toEqual({ created: false, retentionDays: 7, added: [] });
  expect(await prepare(3)).toEqual({ created: false, retentionDays: 3, added: [] });
  expect(await prepare()).toEqual({ created: false, retentionDays: 3, added: [] });
  expect(said).toEqual([
    `created the namespace ${namespace}`,
    'added the search attributes StoreId, LeadId, EntityId',
    `changed the retention of ${namespace} from 7 to 3 days`,
  ]);
});

test('a search attribute of another type is named at once, because Temporal changes no type', async () => {
  const namespace = `typed-${randomBytes(6).toString('hex')}`;
  const prepare = () => prepareNamespace({ server: { address: server.address }, namespace, log: { info: () => {} } });
  await prepare();
  const connection = await Connection.connect({ address: server.address });
  try {
    await connection.operatorService.removeSearchAttributes({ namespace, searchAttributes: ['StoreId'] });
    const text = 1;
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: { StoreId: text } });
  } finally {
    await connection.close();
  }
  const reason = 'has the search attributes StoreId of another type than Keyword: remove them with';
  await expect(check(namespace)).rejects.toThrow(reason);
  await expect(prepare()).rejects.toThrow(reason);
});

test('to prepare a namespace where no Temporal answers fails with what to do', async () => {
  const prepared = prepareNamespace({ server: { address: '127.0.0.1:1' }, namespace: 'any', log: { info: () => {} } });
  await expect(prepared).rejects.toThrow('Temporal does not answer: check that it runs at TEMPORAL_ADDRESS.');
});
