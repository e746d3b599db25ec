import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  accountsOperations,
  crmOperations,
  type Seller,
  type Service,
  schedulingOperations,
} from '@mostrador/contracts';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anyStore, startTestPlatform, type TestPlatform } from '../../test/platform.ts';

const { listStores } = accountsOperations;
const { listSellers, updateSeller } = crmOperations;
const { createService, deleteService, getService, listStoreServices, updateService } = schedulingOperations;
const operations = {
  ...{ listStores, listSellers, updateSeller },
  ...{ createService, deleteService, getService, listStoreServices, updateService },
};

const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';
const serviceId = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f62';
const sellerId = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f63';
const hours = [{ weekday: 1, from: '09:00', to: '12:00' }];

const service: Service = {
  ...{ id: serviceId, name: 'Eye test', duration_minutes: 45, price_text: 'R$ 80', is_active: true },
  ...{ buffer_before_minutes: null, buffer_after_minutes: 10, seller_ids: [sellerId] },
};
const seller: Seller = {
  ...{ id: sellerId, name: 'Ana\u001b[2J', whatsapp_id: '5531977776666', is_active: true, bookable: true, hours },
};
/** More services than a page has. */
const services = Array.from({ length: 230 }, (_, index) => ({ ...service, name: `Service ${index}` }));

/** What the services of the platform received. */
let received: unknown[] = [];
const handlers: Handlers<typeof operations> = {
  listStores: anyStore,
  createService: async ({ storeId }, { body }) => {
    received.push({ storeId, ...body });
    if (body.seller_ids?.includes(store)) throw new AppError('seller_not_found');
    return service;
  },
  updateService: async ({ storeId }, { params, body }) => {
    received.push({ storeId, ...params, ...body });
    return service;
  },
  getService: async (_context, { params }) => {
    if (params.serviceId !== serviceId) throw new AppError('service_not_found');
    return service;
  },
  deleteService: async ({ storeId }, { params }) => {
    received.push({ storeId, deleted: params.serviceId });
    return { deleted: true, id: params.serviceId };
  },
  listStoreServices: async (_context, { query: { page = 1, limit = 50 } }) => ({
    data: services.slice((page - 1) * limit, page * limit),
    ...{ total: services.length, page, limit },
  }),
  listSellers: async (_context, { query: { page = 1, limit = 50 } }) => ({
    data: [seller, { ...seller, name: 'Bia', bookable: false }],
    ...{ total: 2, page, limit },
  }),
  updateSeller: async ({ storeId }, { params, body }) => {
    received.push({ storeId, ...params, ...body });
    if (body.hours?.[0]?.to === '01:00') throw validationFailed([{ pointer: '#/hours/0/to', detail: 'is too early' }]);
    return { ...seller, hours: body.hours ?? null };
  },
};

let platform: TestPlatform;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-admin-'));
  platform = await startTestPlatform(operations, handlers);
});
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const admin = (...argv: string[]) => platform.run([...argv, '--store', store]);
const hoursFile = (content: object) => {
  const file = join(folder, 'hours.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
};

test('service create sends what its options give, and prints the service', async () => {
  const given = ['--name', 'Eye test', '--minutes', '45', '--buffer-after', '10', '--price', 'R$ 80'];
  const made = await admin('service', 'create', ...given, '--sellers', sellerId, '--json');
  expect(made).toMatchObject({ exitCode: 0, err: '' });
  expect(JSON.parse(made.out)).toEqual(service);
  const body = { name: 'Eye test', duration_minutes: 45, buffer_after_minutes: 10, price_text: 'R$ 80' };
  expect(received).toEqual([{ storeId: store, ...body, seller_ids: [sellerId] }]);
  const text = (await admin('service', 'create', ...given)).out;
  expect(text).toMatch(/duration +45 minutes/);
  expect(text).toMatch(/buffer before +those of the rules/);
});

test('service update changes only what is given, and can go back to the rules, to no seller and to no price', async () => {
  await admin('service', 'update', '--service', serviceId, '--active', 'off');
  const back = ['--buffer-before', 'rules', '--sellers', 'none', '--price', 'none'];
  await admin('service', 'update', '--service', serviceId, ...back);
  expect(received).toEqual([
    { storeId: store, serviceId, is_active: false },
    { storeId: store, serviceId, buffer_before_minutes: null, seller_ids: [], price_text: null },
  ]);
});

test('services are listed to the last page, shown and deleted', async () => {
  const list = await admin('service', 'list', '--json');
  expect(JSON.parse(list.out).services).toEqual(services);
  expect((await admin('service', 'list')).out.trim().split('\n')).toHaveLength(231);
  expect((await admin('service', 'show', '--service', serviceId)).out).toContain('Eye test');
  expect((await admin('service', 'delete', '--service', serviceId)).out).toBe(`Service ${serviceId} is deleted.\n`);
  expect(received).toEqual([{ storeId: store, deleted: serviceId }]);
});

test('what is wrong is named by its option, and nothing is sent', async () => {
  const { exitCode, err } = await admin(
    ...['service', 'create', '--name', ' ', '--minutes', 'an hour', '--buffer-after', '241', '--sellers', 'ana'],
    ...['--active', 'yes'],
  );
  expect(exitCode).toBe(2);
  for (const option of ['--name', '--minutes', '--buffer-after', '--sellers', '--active'])
    expect(err).toContain(`error: ${option} must `);
  expect((await admin('service', 'update', '--service', serviceId)).err).toContain('give at least one of --name');
  expect((await admin('service', 'update', '--active', 'on')).err).toContain('--service is required');
  expect((await admin('service', 'show', '--service', '7')).err).toContain('`service list` shows the ids');
  expect((await admin('seller', 'update', '--seller', sellerId)).err).toContain('give at least one of --bookable');
  expect((await admin('seller', 'update', '--bookable', 'on')).err).toContain('--seller is required');
  expect(received).toEqual([]);
});

test('a refusal of the platform is an error of the command', async () => {
  const unknown = await admin('service', 'show', '--service', store);
  expect(unknown).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('service') });
  const made = await admin('service', 'create', '--name', 'Test', '--minutes', '30', '--sellers', store);
  expect(made).toMatchObject({ exitCode: 1, err: expect.stringContaining('seller') });
});

test('seller list says who can be booked, and moves no cursor of the terminal', async () => {
  const { out } = await admin('seller', 'list');
  expect(out).toContain('Mon 09:00–12:00');
  expect(out).toMatch(/never +Bia/);
  expect(out).not.toContain('\u001b');
});

test('seller update gives a seller hours from a file or those of the store, and says where a file is wrong', async () => {
  await admin('seller', 'update', '--seller', sellerId, '--bookable', 'on', '--hours', hoursFile(hours));
  const back = await admin('seller', 'update', '--seller', sellerId, '--hours', 'store');
  expect(back.out).toMatch(/hours +those of the store/);
  expect(received).toEqual([
    { storeId: store, sellerId, bookable: true, hours },
    { storeId: store, sellerId, hours: null },
  ]);
  received = [];
  const wrong = hoursFile([{ weekday: 8, from: '09:00', to: '12:00' }]);
  const refused = await admin('seller', 'update', '--seller', sellerId, '--hours', wrong);
  expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining('hours.json: [0].weekday ') });
  expect(received).toEqual([]);
  const early = hoursFile([{ weekday: 1, from: '00:00', to: '01:00' }]);
  const late = await admin('seller', 'update', '--seller', sellerId, '--hours', early);
  expect(late).toMatchObject({ exitCode: 2, err: expect.stringContaining('hours.json: [0].to is too early') });
});
