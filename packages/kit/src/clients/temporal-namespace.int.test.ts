import { silentLog } from '@mostrador/testing/context';
import { type TestTemporal, testTemporal } from '@mostrador/testing/servers/temporal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NotReady } from '../process/health.ts';
import { connectTemporal, type Temporal } from './temporal.ts';

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
