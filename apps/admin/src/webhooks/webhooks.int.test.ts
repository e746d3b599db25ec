import { randomUUID } from 'node:crypto';
import { accountsOperations, eventsOperations, type WebhookEndpoint, type WebhookReplay } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyStore, startTestPlatform, type TestPlatform } from '../../test/platform.ts';

const { listStores } = accountsOperations;
const { createWebhookEndpoint, createWebhookReplay, getWebhookEndpoint, getWebhookReplay } = eventsOperations;
const { listWebhookEndpoints, rotateWebhookSecret } = eventsOperations;
const operations = {
  listStores,
  createWebhookEndpoint,
  createWebhookReplay,
  getWebhookEndpoint,
  getWebhookReplay,
  listWebhookEndpoints,
  rotateWebhookSecret,
};
const store = randomUUID();
const at = '2026-11-23T04:00:00.000Z';
const secret = 'whsec_bW9zdHJhZG9yLXRlc3Qta2V5LTAxMjM0NTY3ODk=';
const endpoint: WebhookEndpoint = {
  id: randomUUID(),
  url: 'https://erp.example.com/hooks',
  description: 'ERP \u001b[31mred',
  event_types: null,
  filters: null,
  ordering: 'entity',
  payload: 'object',
  max_in_flight: 5,
  status: 'disabled',
  disabled_reason: 'gone',
  public_key: null,
  health: { last_success_at: null, failing_since: at, next_attempt_at: null, pending: 3, oldest_pending_at: at },
  created_at: at,
  updated_at: at,
};
const replay: WebhookReplay = {
  id: randomUUID(),
  endpoint_id: endpoint.id,
  status: 'running',
  only: 'failed',
  from_sequence: 1,
  to_sequence: 9,
  types: null,
  looked_through: 0,
  deliveries: { total: 0, pending: 0, succeeded: 0, failed: 0 },
  created_at: at,
  ended_at: null,
};

/** What the services were asked for: the bodies, by operation. */
let asked: Record<string, unknown> = {};
let looks = 0;

const handlers: Handlers<typeof operations> = {
  listStores: anyStore,
  createWebhookEndpoint: async ({ storeId }, { body }) => {
    asked = { storeId, body };
    return { ...endpoint, url: body.url, status: 'enabled', disabled_reason: null, secret };
  },
  listWebhookEndpoints: async () => ({ data: [endpoint], total: 1, page: 1, limit: 50, next_cursor: null }),
  getWebhookEndpoint: async (_context, { params }) => {
    if (params.endpointId !== endpoint.id) throw new AppError('webhook_endpoint_not_found');
    return endpoint;
  },
  rotateWebhookSecret: async (_context, { body }) => {
    asked = { body };
    return { id: endpoint.id, secret, public_key: 'whpk_new', previous_valid_until: at };
  },
  createWebhookReplay: async (_context, { body }) => {
    asked = { body };
    return replay;
  },
  getWebhookReplay: async () => {
    looks += 1;
    const deliveries = { total: 4, pending: 0, succeeded: 4, failed: 0 };
    return looks < 2 ? replay : { ...replay, status: 'done', looked_through: 9, deliveries, ended_at: at };
  },
};

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform(operations, handlers);
});
afterAll(() => platform?.stop());

const run = (verb: string, ...options: string[]) => platform.run(['webhook', verb, '--store', store, ...options]);
const ofEndpoint = ['--endpoint', endpoint.id];

test('an endpoint is created with its options, and its secret is shown', async () => {
  const url = 'https://erp.example.com/hooks';
  const { out, exitCode } = await run(
    'create',
    '--url',
    url,
    '--types',
    'lead.created, lead.updated',
    '--at-once',
    '2',
  );
  expect(exitCode).toBe(0);
  expect(out.split('\n')[0]).toBe(secret);
  expect(out).toContain('shown only once');
  expect(asked).toMatchObject({
    storeId: store,
    body: { url, event_types: ['lead.created', 'lead.updated'], max_in_flight: 2 },
  });
  expect(JSON.parse((await run('create', '--url', url, '--json')).out)).toMatchObject({ url, secret });
});

test('wrong options are named as they are typed, before anything is sent', async () => {
  asked = {};
  const wrong = await run('create', '--types', 'lead.exploded', '--at-once', '21', '--ordering', 'any');
  expect(wrong.exitCode).toBe(2);
  for (const option of ['--url', '--types', '--at-once', '--ordering']) expect(wrong.err).toContain(`error: ${option}`);
  for (const verb of ['show', 'rotate', 'replay']) {
    expect(await run(verb)).toMatchObject({ exitCode: 2, err: expect.stringContaining('--endpoint is required') });
    expect((await run(verb, '--endpoint', 'x')).err).toContain('error: --endpoint must be the UUID');
  }
  expect((await run('replay', ...ofEndpoint)).err).toContain('error: --only');
  expect((await run('rotate', ...ofEndpoint, '--overlap', '169')).err).toContain('error: --overlap');
  expect(asked).toEqual({});
});

test('`list` and `show` say how deliveries go, and neither shows a secret', async () => {
  const listed = await run('list');
  const one = await run('show', ...ofEndpoint);
  for (const { out } of [listed, one]) {
    expect(out).toContain(endpoint.id);
    expect(out).toContain('disabled (gone)');
    expect(out).not.toContain('whsec_');
    expect(out).not.toContain('\u001b');
  }
  expect(one.out).toMatch(/^pending +3$/m);
  expect(JSON.parse((await run('list', '--json')).out)).toEqual({ endpoints: [endpoint] });
  const unknown = await run('show', '--endpoint', randomUUID());
  expect(unknown).toMatchObject({ exitCode: 1, err: expect.stringContaining('webhook_endpoint_not_found') });
});

test('a rotation shows the new secret and until when the old one works', async () => {
  const { out, exitCode } = await run('rotate', ...ofEndpoint, '--overlap', '0');
  expect(exitCode).toBe(0);
  expect(out.split('\n')[0]).toBe(secret);
  expect(out).toContain(`works until ${at}`);
  expect(out).toContain('whpk_new');
  expect(asked).toEqual({ body: { overlap_hours: 0 } });
});

test('a replay begins, and with --wait the command ends when all its deliveries are final', async () => {
  looks = 0;
  const begun = await run('replay', ...ofEndpoint, '--only', 'all', '--from', '3', '--to', '9');
  expect(begun.exitCode).toBe(0);
  expect(begun.out).toMatch(/^status +running$/m);
  expect(asked).toEqual({ body: { only: 'all', from_sequence: 3, to_sequence: 9 } });
  const waited = await run('replay', ...ofEndpoint, '--only', 'failed', '--wait', '--json');
  expect(JSON.parse(waited.out)).toMatchObject({ status: 'done', deliveries: { succeeded: 4 } });
});
