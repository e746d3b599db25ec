import { randomUUID } from 'node:crypto';
import { type EventActor, eventsOperations, type RequestOf, webhookTestsPerMinute } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../../test/events.ts';
import { stageWebhook } from '../../../test/webhooks.ts';

const { createWebhookEndpoint, deleteWebhookEndpoint, getWebhookEndpoint, listWebhookEndpoints } = eventsOperations;
const { getWebhookDelivery, retryWebhookDelivery, testWebhookEndpoint, updateWebhookEndpoint } = eventsOperations;
const { listEndpointsOfPerson, pauseEndpointsOfPerson } = eventsOperations;
const { cancelWebhookReplay, createWebhookReplay, getWebhookReplay, rotateWebhookSecret } = eventsOperations;

let events: TestEvents;
beforeAll(async () => {
  events = await startEvents();
  events.startSender();
});
afterAll(() => events?.stop());

const url = 'https://93.184.215.14/hooks';
const create = (storeId: string, body: Partial<RequestOf<typeof createWebhookEndpoint>['body']> = {}) =>
  events.rpc.call(createWebhookEndpoint, { body: { url, ...body } }, testContext({ storeId }));

test('a new endpoint has the defaults, and only the answer to its creation has the secret', async () => {
  const storeId = randomUUID();
  const { secret, ...endpoint } = await create(storeId);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(endpoint).toMatchObject({
    ...{ url, description: null, event_types: null, ordering: 'entity', payload: 'object', max_in_flight: 5 },
    ...{ status: 'enabled', disabled_reason: null, public_key: null },
    health: { last_success_at: null, failing_since: null, next_attempt_at: null, pending: 0, oldest_pending_at: null },
  });
  const params = { endpointId: endpoint.id };
  expect(await events.rpc.call(getWebhookEndpoint, { params }, testContext({ storeId }))).toEqual(endpoint);
  const list = await events.rpc.call(listWebhookEndpoints, { query: {} }, testContext({ storeId }));
  expect(list).toEqual({ data: [endpoint], total: 1, page: 1, limit: 50 });
  const [row] = await events.adminSql`select sealed_secrets from webhook_endpoints where id = ${endpoint.id}`;
  expect(row?.sealed_secrets).not.toContain(secret.slice(6));
});

test('with an `Idempotency-Key` a repeated request gets the same secret, and the table has it only sealed', async () => {
  const storeId = randomUUID();
  const keyed = (idempotencyScope: string) => testContext({ storeId, idempotencyKey: 'k', idempotencyScope });
  const creating = () => events.rpc.call(createWebhookEndpoint, { body: { url, asymmetric: true } }, keyed('create'));
  const created = await creating();
  const params = { endpointId: created.id };
  const rotating = () => events.rpc.call(rotateWebhookSecret, { params, body: { overlap_hours: 0 } }, keyed('rotate'));
  const rotated = await rotating();
  expect(rotated.secret).not.toBe(created.secret);
  // The endpoint no longer has the first secret.
  expect([await creating(), await rotating()]).toEqual([created, rotated]);
  const records = await events.adminSql`
    select scope, convert_from(reply, 'UTF8') as reply from idempotency_records where store_id = ${storeId} order by scope`;
  expect(records.map(({ scope }) => scope)).toEqual(['create', 'rotate']);
  for (const { reply } of records) expect(reply).toMatch(/^v1\.test\.[\w.-]+$/);
});

test('a store has at most 50 endpoints, also when they are created at once', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  await events.adminSql`
    insert into webhook_endpoints (store_id, url, ordering, payload, max_in_flight, sealed_secrets, planned_through)
    select store_id, url, ordering, payload, max_in_flight, sealed_secrets, planned_through
    from webhook_endpoints, generate_series(1, 47) where id = ${id}`;
  const results = await Promise.allSettled(Array.from({ length: 4 }, () => create(storeId)));
  const rejected = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(rejected).toEqual(['webhook_endpoint_limit', 'webhook_endpoint_limit']);
  const { data } = await events.rpc.call(listWebhookEndpoints, { query: {} }, testContext({ storeId }));
  const params = { endpointId: data[0]?.id ?? '' };
  await events.rpc.call(deleteWebhookEndpoint, { params }, testContext({ storeId }));
  await create(storeId);
});

test('a store has a quota of tests, over all of its endpoints, which refills after a minute', async () => {
  const storeId = randomUUID();
  const endpoints = [await create(storeId, { max_in_flight: 1 }), await create(storeId, { max_in_flight: 1 })];
  const send = (number: number) =>
    events.rpc.call(
      testWebhookEndpoint,
      { params: { endpointId: endpoints[number % 2]?.id ?? '' } },
      testContext({ storeId }),
    );
  const sent = await Promise.allSettled(Array.from({ length: webhookTestsPerMinute + 2 }, (_, number) => send(number)));
  const refused = sent.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(2);
  for (const { code, status, retryAfterSeconds } of refused) {
    expect([code, status]).toEqual(['quota_exceeded', 429]);
    expect(retryAfterSeconds).toBeGreaterThan(0);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  }
  const another = await create(randomUUID());
  await expect(send(0)).rejects.toMatchObject({ code: 'quota_exceeded' });
  expect(another.status).toBe('enabled');
  await events.adminSql`
    update webhook_deliveries set created_at = created_at - interval '1 minute' where store_id = ${storeId}`;
  expect(await send(0)).toMatchObject({ event_type: 'webhook.test', sequence: null });
});

test('filters are kept, changed and removed, and fit the event types of the endpoint', async () => {
  const storeId = randomUUID();
  const filters = [{ type: 'lead.updated' as const, member: 'status', value: 'converted' }];
  const { id, filters: kept } = await create(storeId, { filters });
  expect(kept).toEqual(filters);
  const update = (body: RequestOf<typeof updateWebhookEndpoint>['body']) =>
    events.rpc.call(updateWebhookEndpoint, { params: { endpointId: id }, body }, testContext({ storeId }));
  await expect(update({ event_types: ['lead.created'] })).rejects.toMatchObject({
    members: { errors: [{ pointer: '#/event_types', detail: 'must have every type of `filters`' }] },
  });
  await expect(update({ filters: [{ type: 'lead.updated', member: 'stage' }] })).rejects.toMatchObject({
    members: { errors: [{ pointer: '#/filters/0/member' }] },
  });
  const other = [{ type: 'lead.updated' as const, member: 'seller_id', value: null }];
  expect((await update({ filters: other })).filters).toEqual(other);
  expect((await update({ filters: null })).filters).toBeNull();
});

test('an endpoint says who created it, and those of a person and of their keys are paused together', async () => {
  const storeId = randomUUID();
  const userId = randomUUID();
  const as = (actor: EventActor | undefined, store = storeId) =>
    events.rpc.call(createWebhookEndpoint, { body: { url } }, { ...testContext({ storeId: store }), actor });
  const mine = await as({ kind: 'user', id: userId });
  const ofMyKey = await as({ kind: 'api_key', id: 'mykey1234567' });
  const others = [
    await as({ kind: 'api_key', id: 'other1234567' }),
    // A key whose id is that of the person, and the other way round.
    await as({ kind: 'api_key', id: userId }),
    await as({ kind: 'system', id: null }),
    await as(undefined),
  ];
  expect([mine, ofMyKey, ...others].map(({ created_by }) => created_by)).toEqual([
    { kind: 'user', id: userId },
    { kind: 'api_key', id: 'mykey1234567' },
    { kind: 'api_key', id: 'other1234567' },
    { kind: 'api_key', id: userId },
    { kind: 'operator', id: null },
    null,
  ]);
  const elsewhere = randomUUID();
  const foreign = await as({ kind: 'user', id: userId }, elsewhere);

  const body = { user_id: userId, key_ids: ['mykey1234567'] };
  const own = { ...testContext({ storeId }) };
  const { endpoints } = await events.rpc.call(listEndpointsOfPerson, { body }, own);
  expect(endpoints.map(({ id }) => id)).toEqual([mine.id, ofMyKey.id]);
  const { paused } = await events.rpc.call(pauseEndpointsOfPerson, { body }, own);
  expect(paused.toSorted()).toEqual([mine.id, ofMyKey.id].toSorted());
  expect(await events.rpc.call(pauseEndpointsOfPerson, { body }, own)).toEqual({ paused: [] });
  const statusOf = async (endpointId: string, store = storeId) =>
    (await events.rpc.call(getWebhookEndpoint, { params: { endpointId } }, testContext({ storeId: store }))).status;
  for (const { id } of [mine, ofMyKey]) expect(await statusOf(id)).toBe('paused');
  for (const { id } of others) expect(await statusOf(id)).toBe('enabled');
  expect(await statusOf(foreign.id, elsewhere)).toBe('enabled');
});

test('what was due before is due now, in a list too', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  await events.adminSql`
    update webhook_endpoints set sender = 'workflow', due_at = now() - interval '1 hour' where id = ${id}`;
  const since = Date.now();
  const one = await events.rpc.call(getWebhookEndpoint, { params: { endpointId: id } }, testContext({ storeId }));
  const { data } = await events.rpc.call(listWebhookEndpoints, { query: {} }, testContext({ storeId }));
  expect(data).toHaveLength(1);
  for (const { health } of [one, ...data]) {
    expect(Date.parse(health.next_attempt_at ?? '')).toBeGreaterThanOrEqual(since);
  }
});

describe('an address is rejected when it', () => {
  test.each([
    ['has no TLS', 'http://hooks.example/', 'must be an `https` address'],
    ['is no address', 'hooks', 'must be an `https` address'],
    ['is of another kind', 'ftp://hooks.example/', 'must be an `https` address'],
    ['has another port', 'https://93.184.215.14:5432/', 'must have the port 443 or 8443'],
    ['has a password', 'https://a:b@93.184.215.14/', 'must not have a user name or password'],
    ['has a fragment', 'https://93.184.215.14/#x', 'must not have a fragment'],
    ['is in a private network', 'https://10.0.0.1/', 'must not lead into a private network'],
    ['is another form of this machine', 'https://[::1]/', 'must not lead into a private network'],
    ['leads to metadata of a cloud', 'https://169.254.169.254/', 'must not lead into a private network'],
  ])('%s', async (_, address, detail) => {
    const fault = { code: 'validation_failed', members: { errors: [{ pointer: '#/url', detail }] } };
    await expect(create(randomUUID(), { url: address })).rejects.toMatchObject(fault);
    const storeId = randomUUID();
    const params = { endpointId: (await create(storeId)).id };
    const changing = events.rpc.call(
      updateWebhookEndpoint,
      { params, body: { url: address } },
      testContext({ storeId }),
    );
    await expect(changing).rejects.toMatchObject(fault);
  });
});

test('a change keeps what it leaves out, and needs the current version in `If-Match`', async () => {
  const storeId = randomUUID();
  const { secret: _secret, ...before } = await create(storeId, {
    ...{ event_types: ['lead.created'], payload: 'thin', max_in_flight: 3 },
  });
  const params = { endpointId: before.id };
  const change = (ifMatch: string) =>
    events.rpc.call(
      updateWebhookEndpoint,
      { params, body: { description: 'ERP', ordering: 'none' } },
      testContext({ storeId, ifMatch }),
    );
  await expect(change('"v2"')).rejects.toMatchObject({ code: 'version_mismatch' });
  const after = await change('"v1"');
  expect(after).toEqual({ ...before, description: 'ERP', ordering: 'none', updated_at: after.updated_at });
  await expect(change('"v1"')).rejects.toMatchObject({ code: 'version_mismatch' });
});

test('what does not exist is answered with its own code', async () => {
  const storeId = randomUUID();
  const params = { endpointId: randomUUID() };
  const context = testContext({ storeId });
  const inside = (endpointId: string) => {
    const [delivery, replay] = [
      { params: { endpointId, deliveryId: randomUUID() } },
      { params: { endpointId, replayId: randomUUID() } },
    ];
    return [
      () => events.rpc.call(getWebhookDelivery, delivery, context),
      () => events.rpc.call(retryWebhookDelivery, delivery, context),
      () => events.rpc.call(getWebhookReplay, replay, context),
      () => events.rpc.call(cancelWebhookReplay, replay, context),
    ];
  };
  const codes = async (asked: readonly (() => Promise<unknown>)[]) =>
    (await Promise.allSettled(asked.map((ask) => ask()))).map(
      (result) => result.status === 'rejected' && result.reason.code,
    );
  const unknown = [
    () => events.rpc.call(getWebhookEndpoint, { params }, context),
    () => events.rpc.call(testWebhookEndpoint, { params }, context),
    ...inside(params.endpointId),
  ];
  expect(await codes(unknown)).toEqual(unknown.map(() => 'webhook_endpoint_not_found'));
  // What is not there comes before the state of the endpoint.
  const { id } = await create(storeId);
  await events.rpc.call(updateWebhookEndpoint, { params: { endpointId: id }, body: { status: 'paused' } }, context);
  expect(await codes(inside(id))).toEqual([
    ...['webhook_delivery_not_found', 'webhook_delivery_not_found'],
    ...['webhook_replay_not_found', 'webhook_replay_not_found'],
  ]);
});

test('a replay that ends before its beginning is not valid, whatever the state of its endpoint', async () => {
  const storeId = randomUUID();
  const context = testContext({ storeId });
  const { id } = await create(storeId);
  await events.rpc.call(updateWebhookEndpoint, { params: { endpointId: id }, body: { status: 'paused' } }, context);
  const body = { only: 'all', from_sequence: 7, to_sequence: 6 } as const;
  for (const endpointId of [id, randomUUID()]) {
    await expect(events.rpc.call(createWebhookReplay, { params: { endpointId }, body }, context)).rejects.toMatchObject(
      { code: 'validation_failed', members: { errors: [{ pointer: '#/to_sequence' }] } },
    );
  }
});

test('only the chosen types are sent, and a thin payload has no object', async () => {
  const staged = await stageWebhook(events, { event_types: ['lead.updated'], payload: 'thin' });
  const other = await stageWebhook(events, { event_types: ['lead.created'] });
  const lead = randomUUID();
  await staged.append(lead);
  await other.append(lead);
  await expect.poll(() => staged.receiver.received.map(({ event }) => event.data)).toEqual([{ lead_id: lead }]);
  await expect
    .poll(async () => {
      const [row] =
        await events.adminSql`select planned_through from webhook_endpoints where id = ${other.endpoint.id}`;
      return Number(row?.planned_through);
    })
    .toBe(1);
  expect(await other.deliveries()).toEqual([]);
  await Promise.all([staged.close(), other.close()]);
});

test('a test sends one event of its own, without retries, and says nothing about the health', async () => {
  const { storeId, endpoint, receiver, close } = await stageWebhook(events);
  receiver.answer(() => ({ status: 500, body: 'no' }));
  const params = { endpointId: endpoint.id };
  const { id } = await events.rpc.call(testWebhookEndpoint, { params }, testContext({ storeId }));
  const read = () =>
    events.rpc.call(getWebhookDelivery, { params: { ...params, deliveryId: id } }, testContext({ storeId }));
  await expect.poll(async () => (await read()).status).toBe('failed');
  expect(await read()).toMatchObject({
    ...{ event_type: 'webhook.test', sequence: null, attempts: 1, error: 'http_500', next_attempt_at: null },
    log: [{ number: 1, response_status: 500, response_body: 'no', error: 'http_500' }],
  });
  expect(receiver.received[0]?.event).toMatchObject({ type: 'webhook.test', data: { endpoint_id: endpoint.id } });
  const after = await events.rpc.call(getWebhookEndpoint, { params }, testContext({ storeId }));
  expect(after.health.failing_since).toBeNull();
  await close();
});

test('a retry by request sends a delivery again at once, whatever became of it', async () => {
  const { storeId, endpoint, receiver, append, deliveries, close } = await stageWebhook(events);
  const [eventId] = await append(randomUUID());
  await expect.poll(async () => (await deliveries())[0]?.status).toBe('succeeded');
  const [{ id = '' } = {}] = await deliveries();
  const params = { endpointId: endpoint.id, deliveryId: id };
  const opened = await events.rpc.call(retryWebhookDelivery, { params }, testContext({ storeId }));
  expect(opened).toMatchObject({ id, status: 'pending', completed_at: null });
  await expect.poll(async () => (await deliveries())[0]).toMatchObject({ status: 'succeeded', attempts: 2 });
  expect(receiver.received.map((webhook) => webhook.id)).toEqual([eventId, eventId]);
  await close();
});

test('a paused endpoint gets nothing, and nothing can be asked for until it is enabled', async () => {
  const { storeId, endpoint, receiver, append, drain, close } = await stageWebhook(events);
  const params = { endpointId: endpoint.id };
  const update = (body: RequestOf<typeof updateWebhookEndpoint>['body']) =>
    events.rpc.call(updateWebhookEndpoint, { params, body }, testContext({ storeId }));
  await update({ status: 'paused' });
  const ids = await append(randomUUID(), randomUUID(), randomUUID());
  const refusal = { code: 'webhook_endpoint_not_enabled', members: { current_status: 'paused' } };
  const testing = events.rpc.call(testWebhookEndpoint, { params }, testContext({ storeId }));
  await expect(testing).rejects.toMatchObject(refusal);
  const body = { only: 'all' } as const;
  const replaying = events.rpc.call(createWebhookReplay, { params, body }, testContext({ storeId }));
  await expect(replaying).rejects.toMatchObject(refusal);
  expect(receiver.received).toEqual([]);
  await expect(update({ status: 'enabled', resume_from: 5 })).rejects.toMatchObject({ code: 'cursor_expired' });
  await expect(update({ resume_from: 2 })).rejects.toMatchObject({ code: 'validation_failed' });
  await update({ status: 'enabled', resume_from: 2 });
  await expect
    .poll(async () => {
      await drain();
      return receiver.received.map(({ id }) => id).sort();
    })
    .toEqual(ids.slice(1).sort());
  await close();
});

test('another address ends the pause of an endpoint that fails, and the count of its failures', async () => {
  const { storeId, endpoint, receiver, append, deliveries, drain, close } = await stageWebhook(events);
  receiver.answer(() => ({ status: 503, headers: { 'retry-after': '3600' } }));
  await append(randomUUID(), randomUUID());
  await expect.poll(async () => (await deliveries()).map(({ error }) => error)).toEqual(['http_503', 'http_503']);
  const params = { endpointId: endpoint.id };
  const update = (body: RequestOf<typeof updateWebhookEndpoint>['body']) =>
    events.rpc.call(updateWebhookEndpoint, { params, body }, testContext({ storeId }));
  await update({ description: 'ERP', url: receiver.url });
  expect(await drain()).toMatchObject({ done: false, reason: 'the endpoint fails' });
  receiver.answer(() => ({ status: 200 }));
  const changed = await update({ url: `${receiver.url}/v2` });
  expect(changed.health).toMatchObject({ failing_since: null, pending: 2 });
  const soon = Date.parse(changed.updated_at) + 60_000;
  expect(Date.parse(changed.health.next_attempt_at ?? '')).toBeLessThan(soon);
  const wakeUps = await events.adminSql`select signal from outbox where store_id = ${storeId} order by created_at`;
  expect(wakeUps.map(({ signal }) => signal)).toEqual(['degraded', 'resumed']);
  await drain();
  expect((await deliveries()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  await close();
});

test('the health of a paused endpoint counts the events of its types that wait in the feed', async () => {
  const { storeId, endpoint, append, close } = await stageWebhook(events, { event_types: ['lead.updated'] });
  const other = await create(storeId, { event_types: ['lead.created'] });
  const params = { endpointId: endpoint.id };
  for (const { id } of [endpoint, other]) {
    await events.rpc.call(
      updateWebhookEndpoint,
      { params: { endpointId: id }, body: { status: 'paused' } },
      testContext({ storeId }),
    );
  }
  await append(randomUUID(), randomUUID(), randomUUID());
  const { data } = await events.rpc.call(listWebhookEndpoints, { query: {} }, testContext({ storeId }));
  expect(data.map(({ id, health }) => [id, health.pending, health.oldest_pending_at !== null])).toEqual([
    [endpoint.id, 3, true],
    [other.id, 0, false],
  ]);
  const resumed = { params, body: { status: 'enabled' as const, resume_from: 3 } };
  const { health } = await events.rpc.call(updateWebhookEndpoint, resumed, testContext({ storeId }));
  expect(health.pending).toBe(1);
  await close();
});

test('another address of an endpoint that is paused starts nothing', async () => {
  const { storeId, endpoint, receiver, append, drain, close } = await stageWebhook(events);
  const params = { endpointId: endpoint.id };
  for (const body of [{ status: 'paused' as const }, { url: `${receiver.url}/v2` }]) {
    await events.rpc.call(updateWebhookEndpoint, { params, body }, testContext({ storeId }));
  }
  await append(randomUUID());
  await drain();
  const after = await events.rpc.call(getWebhookEndpoint, { params }, testContext({ storeId }));
  expect([after.status, receiver.received]).toEqual(['paused', []]);
  await close();
});

test('a place that the feed does not have is refused in the words of the request', async () => {
  const { storeId, endpoint, append, close } = await stageWebhook(events);
  const params = { endpointId: endpoint.id };
  const update = (body: RequestOf<typeof updateWebhookEndpoint>['body']) =>
    events.rpc.call(updateWebhookEndpoint, { params, body }, testContext({ storeId }));
  const replay = (from_sequence: number) =>
    events.rpc.call(createWebhookReplay, { params, body: { only: 'all', from_sequence } }, testContext({ storeId }));
  const expectRefused = (asked: Promise<unknown>, detail: string) =>
    expect(asked).rejects.toMatchObject({ code: 'cursor_expired', detail: expect.stringContaining(detail) });
  await update({ status: 'paused' });
  await append(randomUUID(), randomUUID(), randomUUID());
  // As if the first two were older than 30 days.
  await events.adminSql`update feeds set oldest_sequence = 3 where store_id = ${storeId}`;
  await expectRefused(update({ status: 'enabled' }), 'Send a `resume_from` that it has.');
  for (const resume_from of [2, 5]) {
    await expectRefused(update({ status: 'enabled', resume_from }), 'does not have `resume_from`.');
  }
  await update({ status: 'enabled', resume_from: 4 });
  for (const from of [2, 5]) await expectRefused(replay(from), 'does not have `from_sequence`.');
  await close();
});

test('a replay that is cancelled sends nothing more', async () => {
  const { storeId, endpoint, receiver, append, deliveries, close } = await stageWebhook(events);
  receiver.answer(() => ({ status: 200 }));
  await append(randomUUID(), randomUUID());
  await expect.poll(async () => (await deliveries()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  const params = { endpointId: endpoint.id };
  const replay = await events.rpc.call(
    createWebhookReplay,
    { params, body: { only: 'all' } },
    testContext({ storeId }),
  );
  // Its deliveries wait for the workflow, which does not run here.
  await expect.poll(async () => (await deliveries()).map(({ status }) => status)).toEqual(['pending', 'pending']);
  const cancelled = await events.rpc.call(
    cancelWebhookReplay,
    { params: { ...params, replayId: replay.id } },
    testContext({ storeId }),
  );
  expect(cancelled).toMatchObject({ status: 'cancelled', deliveries: { total: 2, pending: 0, failed: 2 } });
  expect(receiver.received).toHaveLength(2);
  await close();
});
