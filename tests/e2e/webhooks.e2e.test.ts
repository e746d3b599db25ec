import { startWebhookReceiver, type WebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import { afterEach, expect, test } from 'vitest';
import { eventually, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

const open: WebhookReceiver[] = [];
afterEach(async () => {
  for (const receiver of open.splice(0)) {
    expect(receiver.faults).toEqual([]);
    await receiver.close();
  }
});

/** A new store, a webhook endpoint of it, and the receiver at that endpoint. */
async function stage() {
  const store = await newStore();
  const receiver = await startWebhookReceiver();
  open.push(receiver);
  const send = (method: string, path: string, body?: object) => request(method, path, { key: store.key, body });
  const created = await send('POST', '/webhooks/endpoints', { url: receiver.url });
  expect(created.status, created.text).toBe(201);
  receiver.trust(created.body.secret);
  return { send, receiver, endpoint: `/webhooks/endpoints/${created.body.id}` };
}

test('what happens in the store reaches its endpoint, in order and signed', async () => {
  const { send, receiver } = await stage();
  const lead = await send('POST', '/leads', { name: 'Ana', customer_phone: '5511900000001' });
  await send('PATCH', `/leads/${lead.body.id}`, { name: 'Ana Lima' });
  await eventually(
    async () => receiver.received.map(({ event }) => event.type),
    (types) => types.length === 2,
  );
  expect(receiver.received.map(({ event }) => event)).toMatchObject([
    { type: 'lead.created', sequence: 1, entity: { id: lead.body.id }, data: { object: { name: 'Ana' } } },
    { type: 'lead.updated', sequence: 2, entity: { id: lead.body.id }, data: { object: { name: 'Ana Lima' } } },
  ]);
});

test('a workflow retries an endpoint that failed, and hands it back when it works again', async () => {
  const { send, receiver, endpoint } = await stage();
  receiver.answer((_webhook, number) => ({ status: number === 1 ? 500 : 204 }));
  await send('POST', '/leads', { name: 'Ana', customer_phone: '5511900000001' });
  const deliveries = await eventually(
    async () => (await send('GET', `${endpoint}/deliveries`)).body.data,
    ([delivery]) => delivery?.status === 'succeeded',
  );
  expect(deliveries).toMatchObject([{ event_type: 'lead.created', attempts: 2, error: null }]);
  const { body } = await send('GET', `${endpoint}/deliveries/${deliveries[0].id}`);
  expect(body.log.map(({ response_status }: { response_status: number }) => response_status)).toEqual([204, 500]);
  expect((await send('GET', endpoint)).body.health).toMatchObject({ failing_since: null, pending: 0 });

  await send('POST', '/leads', { name: 'Rui', customer_phone: '5511900000002' });
  await eventually(
    async () => (await send('GET', `${endpoint}/deliveries?status=succeeded`)).body.total,
    (total) => total === 2,
  );
});

test('a test, a pause with its resumption, and a replay send what they promise', async () => {
  const { send, receiver, endpoint } = await stage();
  expect((await send('POST', `${endpoint}/test`)).status).toBe(200);
  await eventually(
    async () => receiver.received.map(({ event }) => event.type),
    ([type]) => type === 'webhook.test',
  );
  await send('PATCH', endpoint, { status: 'paused' });
  await send('POST', '/leads', { name: 'Ana', customer_phone: '5511900000001' });
  expectProblem(await send('POST', `${endpoint}/test`), 'webhook_endpoint_not_enabled');
  expect((await send('PATCH', endpoint, { status: 'enabled' })).body.status).toBe('enabled');
  await eventually(
    async () => receiver.received.length,
    (count) => count === 2,
  );
  // A replay leaves out what is not recorded as sent: it is sent anyway.
  await eventually(
    async () => (await send('GET', `${endpoint}/deliveries?status=succeeded`)).body.data,
    (found) => found.some(({ event_type }: { event_type: string }) => event_type === 'lead.created'),
  );
  const replay = await send('POST', `${endpoint}/replays`, { only: 'all' });
  expect([replay.status, replay.headers.get('location')]).toEqual([
    202,
    expect.stringMatching(new RegExp(`${endpoint}/replays/${replay.body.id}$`)),
  ]);
  const done = await eventually(
    async () => (await send('GET', `${endpoint}/replays/${replay.body.id}`)).body,
    ({ status }) => status === 'done',
  );
  expect(done.deliveries).toEqual({ total: 1, pending: 0, succeeded: 1, failed: 0 });
  expect(receiver.received.map(({ event }) => event.type)).toEqual(['webhook.test', 'lead.created', 'lead.created']);
});
