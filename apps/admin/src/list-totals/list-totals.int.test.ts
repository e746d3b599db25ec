import {
  listServices,
  listStores,
  listTotalOperations,
  rebuildCrmTotals,
  rebuildEventsTotals,
  rebuildMessagingTotals,
  rebuildSchedulingTotals,
  verifyCrmTotals,
  verifyEventsTotals,
  verifyMessagingTotals,
  verifySchedulingTotals,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anyStore, startTestPlatform, type TestPlatform } from '../../test/platform.ts';

// The tests of the kit check the answers. These tests check what the command does with them.

const storeId = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';
const unknownId = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f61';
const [first, second] = ['0198f2a0-0000-7000-8000-000000000001', '0198f2a0-0000-7000-8000-000000000002'];
const wrong = { store_id: second, list: 'leads', status: 'lost', owner: null, is: 3, should_be: 4 };
const asked: string[] = [];

const operations = {
  listStores,
  ...{ verifyCrmTotals, verifySchedulingTotals, verifyMessagingTotals, verifyEventsTotals },
  ...{ rebuildCrmTotals, rebuildSchedulingTotals, rebuildMessagingTotals, rebuildEventsTotals },
};
type Request = { readonly body: { readonly store_id: string | null; readonly after: string | null } };
/** Services answer in two parts, unless they are asked for one store. */
const walk = (name: string) => (body: Request['body']) => {
  asked.push(`${name} ${body.store_id ?? 'all'} ${body.after}`);
  if (body.store_id !== null) return { stores: 1, left: 0, next: null };
  return body.after === null ? { stores: 3, left: 1, next: first } : { stores: 1, left: 0, next: null };
};
const verify =
  (service: string, found: (typeof wrong)[] = []) =>
  async (_: unknown, { body }: Request) => ({
    ...walk(`verify ${service}`)(body),
    wrong: body.after === null ? [] : found,
  });
const rebuild =
  (service: string) =>
  async (_: unknown, { body }: Request) =>
    walk(`rebuild ${service}`)(body);
const handlers: Handlers<typeof operations> = {
  listStores: (context, request) =>
    request.body.store_id === unknownId ? Promise.resolve({ stores: [], more: false }) : anyStore(context, request),
  verifyCrmTotals: verify('crm', [wrong]),
  verifySchedulingTotals: verify('scheduling'),
  verifyMessagingTotals: verify('messaging'),
  verifyEventsTotals: verify('events'),
  rebuildCrmTotals: rebuild('crm'),
  rebuildSchedulingTotals: rebuild('scheduling'),
  rebuildMessagingTotals: rebuild('messaging'),
  rebuildEventsTotals: async () => {
    throw new AppError('service_unavailable');
  },
};

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform(operations, handlers);
});
afterAll(() => platform?.stop());
beforeEach(() => {
  asked.length = 0;
});

const admin = (...argv: string[]) => platform.run(['list-total', ...argv]);

test('verify asks every service for every part, lists what is wrong and exits with 1', async () => {
  const told = await admin('verify');
  expect(told).toMatchObject({ exitCode: 1, err: '' });
  expect(told.out).toMatch(/^crm +4 +1$/m);
  expect(told.out).toMatch(/^events +4 +0$/m);
  expect(told.out).toMatch(/ leads +lost +- +3 +4$/m);
  expect(asked).toEqual(
    listServices.flatMap((service) => [`verify ${service} all null`, `verify ${service} all ${first}`]),
  );

  const { exitCode, out } = await admin('verify', '--service', 'crm', '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(out)).toEqual({ services: [{ service: 'crm', stores: 4, wrong: [wrong] }] });
});

test('verify of one store exits with 0 when nothing is wrong', async () => {
  expect(await admin('verify', '--store', storeId)).toMatchObject({ exitCode: 0, err: '' });
  expect(asked).toEqual(listServices.map((service) => `verify ${service} ${storeId} null`));
});

test('rebuild goes through all stores with built totals, or through one', async () => {
  const { exitCode, out } = await admin('rebuild', '--service', 'messaging', '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toEqual({ services: [{ service: 'messaging', stores: 4 }] });
  expect(asked).toEqual(['rebuild messaging all null', `rebuild messaging all ${first}`]);
  expect(await admin('rebuild', '--service', 'crm', '--store', storeId)).toMatchObject({ exitCode: 0 });
  expect(asked.at(-1)).toBe(`rebuild crm ${storeId} null`);
});

test('the exit code is 3 for a service that does not answer, 1 for an unknown store and 2 for wrong options', async () => {
  expect(await admin('rebuild', '--service', 'events')).toMatchObject({ exitCode: 3, out: '' });
  expect(await admin('verify', '--store', unknownId)).toMatchObject({ exitCode: 1, out: '' });
  expect(await admin('verify', '--store', 'x')).toMatchObject({ exitCode: 2, out: '' });
  expect(await admin('verify', '--service', 'gateway')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('--service must be one of crm, scheduling, messaging, events'),
  });
  expect(asked).toEqual([]);
});

test('each service has the operations of its name', () => {
  for (const service of listServices) {
    for (const { subject } of Object.values(listTotalOperations[service])) {
      expect(subject.startsWith(`${service}.admin.list-totals.`)).toBe(true);
    }
  }
});
