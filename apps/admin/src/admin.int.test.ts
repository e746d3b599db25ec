import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  accountsOperations,
  assistantOperations,
  eventsOperations,
  messagingOperations,
  schedulingOperations,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, storeRecord, type TestPlatform } from '../test/platform.ts';

const { createStore, listApiKeys, listStores } = accountsOperations;
const {
  connectCalendar,
  fenceScheduling,
  listLostEvents,
  releaseFollowups,
  updateCalendarSettings,
  updateSendingWindows,
} = schedulingOperations;
const { fenceFeeds } = eventsOperations;
const { fenceTurns } = assistantOperations;
const { connectChannel, fenceMessages, updateMessagingSettings } = messagingOperations;
const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';
const second = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f61';
const createdAt = '2026-11-21T09:00:00.000Z';

const record = (id: string, name: string) => storeRecord(id, { name, locale: 'en' });

const operations = {
  createStore,
  listApiKeys,
  listStores,
  connectCalendar,
  connectChannel,
  fenceFeeds,
  fenceMessages,
  fenceScheduling,
  fenceTurns,
  listLostEvents,
  releaseFollowups,
  updateCalendarSettings,
  updateMessagingSettings,
  updateSendingWindows,
};
const handlers: Handlers<typeof operations> = {
  createStore: async (_context, { body }) => record(store, body.name),
  listStores: async (_context, { body: { store_id: id, after_id: after } }) => {
    if (id !== undefined) return { stores: [store, second].includes(id) ? [record(id, 'Loja')] : [], more: false };
    return after === undefined
      ? { stores: [record(store, 'First \u001b[31mred')], more: true }
      : { stores: [record(second, 'Second')], more: false };
  },
  listApiKeys: async (_context, { body }) => {
    if (![store, second].includes(body.store_id)) throw new AppError('store_not_found');
    const key = {
      store_id: store,
      name: 'Site',
      scopes: [],
      created_at: createdAt,
      expires_at: null,
      last_used_at: null,
    };
    const keys = [
      { ...key, id: 'validKey', revoked_at: null },
      { ...key, id: 'revokedKey', revoked_at: createdAt },
    ];
    return { keys: body.store_id === store ? keys : [] };
  },
  connectChannel: async (context, { body }) => ({
    channel_id: context.storeId,
    provider: body.provider,
    webhook_url: body.secrets?.app_secret === 'öpen' ? 'https://example.com/webhook' : null,
    sandbox_url: body.provider === 'sandbox' ? 'https://example.com/sandbox/token' : null,
  }),
  updateMessagingSettings: async (_context, { body }) => ({
    message_wait_seconds: body.message_wait_seconds ?? 5,
    session_idle_hours: 24,
    opt_out_stops_api: body.opt_out_stops_api ?? false,
    ai_pause_minutes: body.ai_pause_minutes ?? 720,
    api_pauses_ai: body.api_pauses_ai ?? false,
    monthly_budget: body.monthly_budget ?? null,
  }),
  updateCalendarSettings: async (_context, { body }) => body,
  updateSendingWindows: async (_context, { body }) => body,
  fenceMessages: async () => ({
    held: 1,
    waiting: 1,
    first: [{ store_id: store, id: record(store, '').id }],
    events: 0,
  }),
  fenceScheduling: async (_context, { body }) => ({ held: body.dry_run ? 7 : 0, waiting: 300, first: [], events: 5 }),
  fenceTurns: async () => ({ held: 2, waiting: 0, first: [], events: 0 }),
  fenceFeeds: async (_context, { body }) => ({ feeds: body.dry_run ? 6 : 0 }),
  listLostEvents: async ({ storeId }) =>
    storeId === store
      ? {
          appointments: ['0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f62'],
          events: [
            {
              appointment_id: '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f62',
              title: 'Haircut',
              scheduled_at: '2027-02-01T09:00:00.000Z',
            },
          ],
          error: null,
        }
      : { appointments: [], error: 'calendar_unreachable: It is down.' },
  releaseFollowups: async (_context, { body }) => ({ released: body.followup_id === undefined ? 3 : 1 }),
  connectCalendar: async (context, { body }) => {
    if (context.storeId !== store) throw new AppError('internal_error');
    if (body.secrets?.password !== 'öpen') throw new AppError('calendar_refused', { detail: 'It answered 401.' });
    return { provider: body.provider, status: 'connected', feed_url: null, appointments_to_sync: 2 };
  },
};

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform(operations, handlers);
});
afterAll(() => platform?.stop());

const admin = (...parameters: Parameters<TestPlatform['run']>) => platform.run(...parameters);

test('standard output carries only the result, as JSON with --json', async () => {
  const made = await platform.runProcess(['store', 'create', '--name', 'Ótica Central', '--json']);
  expect(made).toMatchObject({ exitCode: 0, err: '' });
  expect(JSON.parse(made.out)).toEqual(record(store, 'Ótica Central'));
});

test('store list prints every page, and control characters in names do not reach the terminal', async () => {
  const listed = await admin(['store', 'list']);
  expect(listed.exitCode).toBe(0);
  expect(listed.out).toContain('Second');
  expect(listed.out).not.toContain('\u001b');
});

test('secrets from standard input reach the service unchanged', async () => {
  const connect = ['calendar', 'connect', '--store', store, '--provider', 'caldav', '--url', 'http://127.0.0.1:1/a/'];
  const secrets = [...connect, '--username', 'ana', '--secrets-stdin'];
  expect(await platform.runProcess(secrets, { input: '{"password": "öpen"}' })).toMatchObject({ exitCode: 0, err: '' });
  const refused = await admin(secrets, { input: '{"password": "hunter2"}' });
  expect(refused).toMatchObject({ exitCode: 1, out: '' });
  expect(refused.err).toBe('error: It answered 401. (calendar_refused)\n');
});

test('connecting the calendar of an unknown store fails with store_not_found', async () => {
  const nobody = store.replace('0198', '0199');
  const refused = await admin(['calendar', 'connect', '--store', nobody, '--provider', 'feed']);
  expect(refused).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('(store_not_found)') });
});

test('channel connect sends the secrets and prints the webhook address or the sandbox address', async () => {
  const connect = ['channel', 'connect', '--store', store, '--provider'];
  const whatsapp = [...connect, 'whatsapp_cloud', '--phone-number-id', '106540352242922', '--phone', '15550783881'];
  const input = '{"access_token": "t", "app_secret": "öpen", "verify_token": "v"}';
  const connected = await admin([...whatsapp, '--secrets-stdin', '--json'], { input });
  expect(connected).toMatchObject({ exitCode: 0, err: '' });
  expect(JSON.parse(connected.out)).toMatchObject({ channel_id: store, webhook_url: 'https://example.com/webhook' });
  const sandbox = await admin([...connect, 'sandbox', '--pair-interval', '0.5']);
  expect(sandbox).toMatchObject({ exitCode: 0, out: expect.stringContaining('https://example.com/sandbox/token') });
});

test('store update --message-wait changes the setting in the messaging service', async () => {
  const updated = await admin(['store', 'update', '--store', store, '--message-wait', '2.5', '--json']);
  expect(updated).toMatchObject({ exitCode: 0, err: '' });
  expect(JSON.parse(updated.out)).toMatchObject({ message_wait_seconds: 2.5, session_idle_hours: 24 });
});

test('store update shows what pauses the AI now, and rejects a pause without a length', async () => {
  const update = (...options: string[]) => admin(['store', 'update', '--store', store, ...options]);
  const changed = await update('--ai-pause-minutes', '60', '--api-pauses-ai', 'on');
  expect(changed.out).toMatch(/ai pause +60 minutes/);
  expect(changed.out).toMatch(/api pauses ai +on/);
  expect(await update('--ai-pause-minutes', '0')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('--ai-pause-minutes must be at least 1'),
  });
});

test('store update --monthly-budget sets and removes a budget, and rejects what is no amount', async () => {
  const update = (amount: string) => admin(['store', 'update', '--store', store, '--monthly-budget', amount]);
  expect(await update('none')).toMatchObject({ err: '', out: expect.stringMatching(/monthly budget +none/) });
  expect((await update('50.5')).out).toMatch(/monthly budget +50.5/);
  expect((await update('free')).err).toContain('--monthly-budget must be');
});

test('store update --opt-out-stops-api shows what is set now', async () => {
  const update = (value: string) => admin(['store', 'update', '--store', store, '--opt-out-stops-api', value]);
  expect((await update('on')).out).toMatch(/opt-out stops api +on/);
  expect((await update('off')).out).toMatch(/opt-out stops api +off/);
});

test('store update --calendar-customer shows what is set now', async () => {
  const update = (value: string) => admin(['store', 'update', '--store', store, '--calendar-customer', value]);
  expect((await update('on')).out).toMatch(/customer in calendar +on/);
  expect((await update('off')).out).toMatch(/customer in calendar +off/);
});

test('store update --sending-windows reads a file and names each fault by its place in the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'admin-windows-'));
  try {
    const file = join(folder, 'windows.json');
    const set = async (content: unknown) => {
      await writeFile(file, JSON.stringify(content));
      return await admin(['store', 'update', '--store', store, '--sending-windows', file, '--json']);
    };
    const windows = [{ weekdays: ['monday'], from: '09:00', to: '24:00' }];
    const updated = await set(windows);
    expect(updated).toMatchObject({ exitCode: 0, err: '' });
    expect(JSON.parse(updated.out)).toEqual({ windows });
    const refused = await set([{ weekdays: ['monday'], from: '9', to: '18:00' }]);
    expect(refused).toMatchObject({ exitCode: 2, out: '' });
    expect(refused.err).toContain('windows.json: [0].from');
    expect((await set({})).err).toContain('windows.json: the list');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('restore fence prints what waits, the feeds that restarted, the appointments that are lost, and the keys that are valid', async () => {
  const fence = ['restore', 'fence', '--since', '2026-11-21T09:00:00Z'];
  const fenced = await admin(fence);
  expect(fenced).toMatchObject({ exitCode: 0, err: '' });
  expect(fenced.out).toMatch(/messaging +1 +1 +0\nscheduling +0 +300 +5\nassistant +2 +0 +0\n/);
  for (const line of [
    'and 300 more',
    '5f62',
    '2027-02-01T09:00:00.000Z',
    'Haircut',
    'restarted, so that readers copy their data again: 0',
    'calendar_unreachable: It is down.',
    'validKey',
    'Next: start',
  ]) {
    expect(fenced.out).toContain(line);
  }
  expect(fenced.out).not.toContain('revokedKey');
  const dry = await admin([...fence, '--dry-run', '--json']);
  expect(JSON.parse(dry.out)).toMatchObject({
    dry_run: true,
    services: [{ service: 'messaging' }, { service: 'scheduling', held: 7 }, { service: 'assistant' }],
    feeds: 6,
    lost: [{ store_id: store, error: null }, { store_id: second }],
    keys: [{ id: 'validKey' }],
  });
});

test('restore release sends one held follow-up, or all of a store', async () => {
  const release = ['restore', 'release', '--store', store];
  expect(await admin(release)).toMatchObject({ exitCode: 0, out: 'released: 3\n' });
  expect(await admin([...release, '--followup', store, '--json'])).toMatchObject({ out: expect.stringContaining('1') });
});

/** A port at which nothing listens. */
const closedPort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

test('of several NATS servers one that answers is enough, and all are named when none does', async () => {
  const [one, other] = [await closedPort(), await closedPort()];
  const gone = `nats://127.0.0.1:${one}`;
  for (const natsUrl of [`${gone},${platform.url}`, `${platform.url},${gone}`]) {
    expect(await admin(['store', 'list', '--json'], { natsUrl })).toMatchObject({ exitCode: 0, err: '' });
  }
  const none = await admin(['store', 'list'], { natsUrl: `${gone},127.0.0.1:${other}` });
  expect(none).toMatchObject({ exitCode: 3 });
  expect(none.err).toContain(`nothing answers at 127.0.0.1:${one}, nothing answers at 127.0.0.1:${other}`);
});

test('the exit code is 3 within seconds when NATS or the service does not answer', async () => {
  const port = await closedPort();
  const nobody = await admin(['store', 'list'], { natsUrl: `nats://127.0.0.1:${port}` });
  expect(nobody).toMatchObject({ exitCode: 3, out: '' });
  expect(nobody.err).toContain('Is `npm start` running?');
  const secured = await admin(['store', 'list'], {
    natsUrl: platform.url.replace('nats://', 'tls://admin:known-secret@'),
  });
  expect(secured).toMatchObject({ exitCode: 3, out: '', err: expect.stringContaining('NATS rejects the connection') });
  expect(secured.err).not.toContain('known-secret');
  expect(await admin(['key', 'revoke', '--key', '7Gq2mXw9Tz4b'])).toMatchObject({ exitCode: 3 });
});
