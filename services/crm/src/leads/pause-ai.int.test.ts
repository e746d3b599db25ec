import { randomUUID } from 'node:crypto';
import {
  createLead,
  followLead,
  getLead,
  getMessagingSettings,
  type Lead,
  pauseAi,
  type RequestOf,
  resumeAi,
  saveAiPauses,
  updateLead,
} from '@mostrador/contracts';
import { createRpcServer, type RpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
let messaging: RpcServer;
let storeId: string;
/** What messaging was told of leads. */
let told: RequestOf<typeof followLead>['body'][];

const serve = async () => {
  messaging = createRpcServer({
    nats: crm.nats.nats,
    service: 'messaging',
    operations: { followLead, getMessagingSettings },
    handlers: {
      followLead: async (_, { body }) => {
        told.push(body);
        return { done: true };
      },
      getMessagingSettings: async () => ({
        ...{ message_wait_seconds: 5, session_idle_hours: 24, opt_out_stops_api: true },
        ...{ ai_pause_minutes: 30, api_pauses_ai: false },
      }),
    },
    log: silentLog(),
  });
  await crm.nats.nats.flush();
};
beforeAll(async () => {
  crm = await startCrm();
  await serve();
});
beforeEach(() => {
  storeId = randomUUID();
  told = [];
});
afterAll(async () => {
  await messaging?.drain();
  await crm?.stop();
});

type Pause = RequestOf<typeof pauseAi>['body'];
const newLead = () =>
  crm.rpc.call(createLead, { body: { name: 'Maria', customer_phone: '5511900000001' } }, testContext({ storeId }));
const asked = ({ actorName }: { actorName?: string }) => (actorName === undefined ? {} : { actorName });
const pause = (leadId: string, body: Pause, options = {}) =>
  crm.rpc.call(pauseAi, { params: { leadId }, body }, { ...testContext({ storeId, ...options }), ...asked(options) });
const resume = (leadId: string) => crm.rpc.call(resumeAi, { params: { leadId } }, testContext({ storeId }));
const read = async (leadId: string) => {
  const { body, headers } = await crm.rpc.forward(getLead, { params: { leadId } }, testContext({ storeId }));
  return { lead: JSON.parse(Buffer.from(body).toString()) as Lead, etag: headers.etag as string };
};
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const minutesLeft = ({ ai_paused_until }: Lead) =>
  ai_paused_until === null ? null : Math.round((Date.parse(ai_paused_until) - Date.now()) / 60_000);
type Told = RequestOf<typeof saveAiPauses>['body']['pauses'];
const tell = (pauses: Told) => crm.rpc.call(saveAiPauses, { body: { pauses } }, testContext({ storeId }));
const updates = async () => (await crm.feed(storeId)).filter(({ type }) => type === 'lead.updated');

test('a pause lasts until the given moment, for the given minutes, or as long as the store has set', async () => {
  const { id } = await newLead();
  const until = inMinutes(90);
  expect(await pause(id, { until })).toMatchObject({ id, ai_paused_until: until });
  expect(minutesLeft(await pause(id, { minutes: 45 }))).toBe(45);
  expect(minutesLeft(await pause(id, {}))).toBe(30);
  expect(await resume(id)).toMatchObject({ ai_paused_until: null });
});

test('messaging is told of a pause and of its end before the answer, and of nothing else', async () => {
  const { id } = await newLead();
  const { ai_paused_until } = await pause(id, { minutes: 5 });
  await resume(id);
  await resume(id);
  const unchanged = { lead_id: id, name: 'Maria', status: 'pending', ai_pause_version: 0 };
  expect(told).toMatchObject([
    { ...unchanged, version: 2, ai_paused_until },
    { ...unchanged, version: 3, ai_paused_until: null },
  ]);
  await crm.rpc.call(updateLead, { params: { leadId: id }, body: { name: 'Ana' } }, testContext({ storeId }));
  expect(told).toHaveLength(2);
  expect((await updates()).map(({ data }) => data.object)).toHaveLength(3);
});

test('the pause is stored and the event written while messaging is away', async () => {
  const { id } = await newLead();
  await messaging.drain();
  expect(minutesLeft(await pause(id, { minutes: 5 }))).toBe(5);
  await serve();
  expect(minutesLeft((await read(id)).lead)).toBe(5);
  const notices = await crm.adminSql`
    select data from outbox where store_id = ${storeId} and topic = 'crm.lead.updated'`;
  expect(notices).toMatchObject([{ data: { lead_id: id } }]);
});

test('a repeated request with its key pauses once', async () => {
  const { id } = await newLead();
  const first = await pause(id, { minutes: 5 }, { idempotencyKey: 'k' });
  expect(await pause(id, { minutes: 5 }, { idempotencyKey: 'k' })).toEqual(first);
});

test('a request that is repeated with its key gets its answer, also while messaging is away', async () => {
  const { id } = await newLead();
  const first = await pause(id, {}, { idempotencyKey: 'k' });
  await messaging.drain();
  expect(await pause(id, {}, { idempotencyKey: 'k' })).toEqual(first);
  await expect(pause(id, {})).rejects.toMatchObject({ code: 'service_unavailable' });
  await serve();
});

test('a lead of another store is not found', async () => {
  const { id } = await newLead();
  storeId = randomUUID();
  await expect(pause(id, { minutes: 5 })).rejects.toMatchObject({ code: 'lead_not_found' });
  await expect(resume(id)).rejects.toMatchObject({ code: 'lead_not_found' });
});

test.each<[string, object, string]>([
  ['two lengths', { until: '2126-01-01T00:00:00Z', minutes: 5 }, '#/until'],
  ['a moment in the past', { until: '2020-01-01T00:00:00Z' }, '#/until'],
  ['a moment without an offset', { until: '2126-01-01T00:00:00' }, '#/until'],
  ['no minutes', { minutes: 0 }, '#/minutes'],
  ['more than a year', { minutes: 525_601 }, '#/minutes'],
  ['a number as a text', { minutes: '5' }, '#/minutes'],
  ['an unknown member', { hours: 1 }, '#/hours'],
])('%s is rejected', async (_, body, pointer) => {
  const { id } = await newLead();
  await expect(pause(id, body as Pause)).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ pointer }] },
  });
});

test('what messaging tells is shown, with an event and another ETag, and makes no PATCH fail', async () => {
  const { id } = await newLead();
  const before = await read(id);
  const until = inMinutes(720);
  await tell([{ lead_id: id, ai_paused_until: until, version: 1 }]);
  const after = await read(id);
  expect(after.lead).toEqual({ ...before.lead, ai_paused_until: until, updated_at: after.lead.updated_at });
  expect(after.lead.updated_at > before.lead.updated_at).toBe(true);
  expect(await updates()).toMatchObject([{ entity_id: id, data: { object: after.lead } }]);
  const [fed] =
    await crm.adminSql`select etag, previous from feed_entries where entity_id = ${id} and previous is not null`;
  expect(fed).toEqual({ etag: after.etag, previous: { ai_paused_until: null } });
  await tell([{ lead_id: id, ai_paused_until: inMinutes(721), version: 2 }]);
  expect(new Set([before.etag, after.etag, (await read(id)).etag]).size).toBe(3);
  const body = { name: 'Ana' };
  const changed = crm.rpc.call(
    updateLead,
    { params: { leadId: id }, body },
    testContext({ storeId, ifMatch: before.etag }),
  );
  expect(await changed).toMatchObject({ name: 'Ana', ai_paused_until: expect.any(String) });
});

test('a pause has who began it: a person by name, a key, the operator, or who wrote the message', async () => {
  const { id } = await newLead();
  const by = async () => (await read(id)).lead.ai_paused_by;
  const ana = { kind: 'user', id: randomUUID(), name: 'Ana' } as const;
  const key = { kind: 'api_key', id: 'k1', name: null } as const;
  const options = { actor: { kind: ana.kind, id: ana.id }, actorName: ana.name };
  expect(await pause(id, { minutes: 5 }, options)).toMatchObject({ ai_paused_by: ana });
  const fed = await crm.adminSql`
    select previous from feed_entries where entity_id = ${id} and previous is not null`;
  expect(fed).toMatchObject([{ previous: { ai_paused_by: null } }]);
  // It is not longer, so it is still hers.
  await tell([{ lead_id: id, ai_paused_until: (await read(id)).lead.ai_paused_until, ai_paused_by: null, version: 1 }]);
  expect(await by()).toEqual(ana);
  const phone = { kind: 'phone', id: null, name: null } as const;
  await tell([{ lead_id: id, ai_paused_until: inMinutes(10), ai_paused_by: phone, version: 2 }]);
  expect(await by()).toEqual(phone);
  await resume(id);
  expect(await by()).toBeNull();
  await pause(id, { minutes: 5 }, { actor: { kind: 'api_key', id: 'k1' } });
  expect(await by()).toEqual(key);
  await pause(id, { minutes: 6 }, { actor: { kind: 'system', id: null } });
  expect(await by()).toEqual({ kind: 'system', id: null, name: null });
  await pause(id, { minutes: 7 });
  expect(await by()).toBeNull();
});

test('the latest version stays, whatever the order, and a resume says which pause it knew', async () => {
  const { id } = await newLead();
  const [early, late] = [inMinutes(10), inMinutes(20)];
  await Promise.all([3, 1, 2].map((version) => tell([{ lead_id: id, ai_paused_until: early, version }])));
  await tell([{ lead_id: id, ai_paused_until: late, version: 4 }]);
  await tell([{ lead_id: id, ai_paused_until: early, version: 4 }]);
  await tell([{ lead_id: randomUUID(), ai_paused_until: early, version: 1 }]);
  expect((await read(id)).lead.ai_paused_until).toBe(late);
  await resume(id);
  expect(told).toMatchObject([{ ai_paused_until: null, ai_pause_version: 4 }]);
  await tell([{ lead_id: id, ai_paused_until: late, version: 4 }]);
  expect((await read(id)).lead.ai_paused_until).toBeNull();
});
