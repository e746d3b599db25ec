import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { eventsOperations, getEvent, type WebhookDelivery } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { startWebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../test/events.ts';
import { appendTo, stageWebhook, type WebhookStage } from '../../test/webhooks.ts';
import { purgeWebhooks } from './purge-webhooks.ts';
import { mostWaiting } from './replays/replay.ts';
import { createSender } from './sending/sender.ts';

const { createWebhookEndpoint, deleteWebhookEndpoint, getWebhookEndpoint, rotateWebhookSecret } = eventsOperations;
const { createWebhookReplay, getWebhookReplay, updateWebhookEndpoint, listWebhookDeliveries } = eventsOperations;

const hourMs = 3_600_000;
let events: TestEvents;
const open: WebhookStage[] = [];
const stage = async (settings: Parameters<typeof stageWebhook>[1] = {}) => {
  const staged = await stageWebhook(events, settings);
  open.push(staged);
  return staged;
};
const statuses = (deliveries: readonly WebhookDelivery[]) => deliveries.map(({ status }) => status);
const sequences = ({ receiver }: WebhookStage) => receiver.received.map(({ event }) => event.sequence);
const read = ({ storeId, endpoint }: WebhookStage) =>
  events.rpc.call(getWebhookEndpoint, { params: { endpointId: endpoint.id } }, testContext({ storeId }));
const update = (
  { storeId, endpoint }: WebhookStage,
  body: { status?: 'enabled' | 'paused'; resume_from?: number; url?: string },
) => events.rpc.call(updateWebhookEndpoint, { params: { endpointId: endpoint.id }, body }, testContext({ storeId }));

beforeAll(async () => {
  // `*.invalid` never has an address (RFC 6761).
  events = await startEvents({
    allowHosts: '127.0.0.1,nowhere.invalid',
    limits: { callMs: 1_500, leaseMs: 20_000, batch: 100 },
  });
  events.startSender();
});
afterEach(async () => {
  for (const staged of open.splice(0)) {
    expect(staged.receiver.faults).toEqual([]);
    await staged.close();
  }
});
afterAll(() => events?.stop());

test('secret does not verify (chatwoot 13809): during the overlap of a rotation both secrets verify, afterwards the new one', async () => {
  const staged = await stage({ asymmetric: true });
  const { storeId, endpoint, receiver, append } = staged;
  await append(randomUUID());
  await expect.poll(() => receiver.received.length).toBe(1);
  const rotate = (overlap_hours: number) =>
    events.rpc.call(
      rotateWebhookSecret,
      { params: { endpointId: endpoint.id }, body: { overlap_hours } },
      testContext({ storeId }),
    );
  const second = await rotate(24);
  await append(randomUUID());
  await expect.poll(() => receiver.received.length).toBe(2);
  const { body, headers } = receiver.received[1] as (typeof receiver.received)[1];
  for (const secret of [endpoint.secret, second.secret]) new Webhook(secret).verify(body, headers as never);

  const { public_key } = await read(staged);
  const spki = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(String(public_key).replace('whpk_', ''), 'base64'),
  ]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  const signatures = String(headers['webhook-signature']).split(' ');
  expect(signatures.map((text) => text.split(',')[0])).toEqual(['v1', 'v1a', 'v1', 'v1a']);
  expect(verify(null, signed, key, Buffer.from(signatures[1]?.split(',')[1] ?? '', 'base64'))).toBe(true);

  const third = await rotate(0);
  receiver.trust(third.secret);
  await append(randomUUID());
  await expect.poll(() => receiver.received.length).toBe(3);
  const last = receiver.received[2] as (typeof receiver.received)[2];
  for (const secret of [endpoint.secret, second.secret]) {
    expect(() => new Webhook(secret).verify(last.body, last.headers as never)).toThrow('No matching signature');
  }
});

test('duplicates (chatwoot 11901): two processes send each event once', async () => {
  const staged = await stage({ max_in_flight: 20 });
  const other = createSender(events.dependencies, testContext().log);
  other.start();
  await staged.append(...Array.from({ length: 100 }, () => randomUUID()));
  other.nudge();
  await expect.poll(async () => new Set(statuses(await staged.deliveries()))).toEqual(new Set(['succeeded']));
  await other.stop();
  expect(sequences(staged).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
});

test('newest message instead of the triggering one (chatwoot 13144): each event is sent as it was', async () => {
  const staged = await stage();
  await update(staged, { status: 'paused' });
  const lead = randomUUID();
  const ids = await staged.append(lead, lead, lead);
  await update(staged, { status: 'enabled' });
  await expect
    .poll(async () => {
      await staged.drain();
      return staged.receiver.received.map(({ id }) => id);
    })
    .toEqual(ids);
});

test('sent before commit (chatwoot 11753): everyone who receives an event can read it', async () => {
  const { storeId, append, receiver } = await stage();
  const found: string[] = [];
  receiver.answer(async ({ id }) => {
    found.push((await events.rpc.call(getEvent, { params: { eventId: id } }, testContext({ storeId }))).id);
    return { status: 200 };
  });
  const ids = await append(randomUUID(), randomUUID(), randomUUID());
  await expect.poll(() => found.length).toBe(3);
  expect(found.sort()).toEqual([...ids].sort());
});

test('SSRF checked only on save (cal.com PR 26593): every attempt checks where it connects', async () => {
  const staged = await stage();
  const { receiver, endpoint } = staged;
  // As if the name had another address by now. 127.0.0.2 leads to the same receiver, and is not on the list.
  const address = `http://127.0.0.2:${receiver.port}/`;
  await events.adminSql`update webhook_endpoints set url = ${address} where id = ${endpoint.id}`;
  await staged.append(randomUUID());
  await expect.poll(async () => (await staged.deliveries())[0]?.error).toBe('address_refused');
  expect(receiver.received).toEqual([]);
});

test('second subscriber dropped (cal.com 29655): every endpoint gets every event, also when another one fails', async () => {
  const staged = await stage();
  const { storeId, receiver, append } = staged;
  const second = await startWebhookReceiver();
  const made = await events.rpc.call(createWebhookEndpoint, { body: { url: second.url } }, testContext({ storeId }));
  second.trust(made.secret);
  receiver.answer(() => ({ status: 500 }));
  const ids = await append(randomUUID(), randomUUID(), randomUUID());
  await expect.poll(() => second.received.map(({ id }) => id).sort()).toEqual([...ids].sort());
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  await second.close();
});

test('disabled endpoint loses events (hookdeck/outpost 611): 410 disables at once, and a resumption sends what came meanwhile', async () => {
  const staged = await stage();
  const { receiver, append } = staged;
  receiver.answer(() => ({ status: 410 }));
  await append(randomUUID());
  await expect.poll(async () => (await read(staged)).disabled_reason).toBe('gone');
  await append(randomUUID(), randomUUID());
  expect(receiver.received).toHaveLength(1);
  receiver.answer(() => ({ status: 200 }));
  expect(await update(staged, { status: 'enabled' })).toMatchObject({ status: 'enabled', disabled_reason: null });
  await expect
    .poll(async () => {
      await staged.drain();
      return sequences(staged);
    })
    .toEqual([1, 1, 2, 3]);
});

test('never disables (hookdeck/outpost 596): 120 hours of failures only disable an endpoint, and keep its deliveries', async () => {
  const staged = await stage();
  const { receiver, append, pass, drain } = staged;
  receiver.answer(() => 'reset');
  await append(randomUUID(), randomUUID());
  await expect.poll(async () => (await read(staged)).health.failing_since).not.toBeNull();
  await pass(119 * hourMs);
  await drain();
  expect(await read(staged)).toMatchObject({ status: 'enabled' });
  await pass(2 * hourMs);
  await drain();
  expect(await read(staged)).toMatchObject({
    status: 'disabled',
    disabled_reason: 'failing',
    health: { pending: 2, next_attempt_at: null },
  });
  expect(statuses(await staged.deliveries())).toEqual(['pending', 'pending']);
});

test('DNS error not retried (hookdeck/outpost 314): a name without an address is retried like any failure', async () => {
  const staged = await stage();
  const { receiver, endpoint, append, pass, drain } = staged;
  await update(staged, { url: `http://nowhere.invalid:${receiver.port}/hooks` });
  await append(randomUUID());
  await expect.poll(async () => (await staged.deliveries())[0]?.error).toBe('dns_failed');
  expect(statuses(await staged.deliveries())).toEqual(['pending']);
  await events.adminSql`update webhook_endpoints set url = ${receiver.url} where id = ${endpoint.id}`;
  await pass(10_000);
  await drain();
  expect(statuses(await staged.deliveries())).toEqual(['succeeded']);
});

test('a dead endpoint clogs others (convoy 1926): while one does not answer, the others get their events', async () => {
  const dead = await stage({ max_in_flight: 20 });
  dead.receiver.answer(() => 'hang');
  await dead.append(...Array.from({ length: 50 }, () => randomUUID()));
  await expect.poll(() => dead.receiver.received.length).toBeGreaterThan(0);
  const healthy = await stage();
  await healthy.append(randomUUID(), randomUUID());
  await expect.poll(() => healthy.receiver.received.length).toBe(2);
  expect(statuses(await dead.deliveries())).not.toContain('succeeded');
});

test('a down endpoint gets one probe, not one for each event', async () => {
  const staged = await stage({ max_in_flight: 3 });
  const { receiver, append, pass, drain } = staged;
  receiver.answer(() => 'reset');
  await append(...Array.from({ length: 20 }, () => randomUUID()));
  await expect.poll(async () => (await read(staged)).health.next_attempt_at).not.toBeNull();
  await expect.poll(async () => (await staged.deliveries()).filter(({ error }) => error !== null).length).toBe(3);
  for (const probes of [4, 5, 6]) {
    await pass(6 * 60_000);
    await drain();
    expect(receiver.received).toHaveLength(probes);
  }
  receiver.answer(() => ({ status: 200 }));
  await pass(6 * 60_000);
  await expect
    .poll(async () => {
      await drain();
      return new Set(statuses(await staged.deliveries()));
    })
    .toEqual(new Set(['succeeded']));
});

test('endless loop on a deleted endpoint (svix 1511): nothing is sent to it any more, and its rows are removed', async () => {
  const staged = await stage();
  const { storeId, endpoint, receiver, append, drain, pass } = staged;
  receiver.answer(() => ({ status: 500 }));
  await append(randomUUID(), randomUUID());
  await expect.poll(async () => (await read(staged)).health.failing_since).not.toBeNull();
  const params = { endpointId: endpoint.id };
  await events.rpc.call(deleteWebhookEndpoint, { params }, testContext({ storeId }));
  const sent = receiver.received.length;
  await pass(hourMs);
  expect(await drain()).toMatchObject({ done: true, reason: 'the endpoint does not exist' });
  expect(receiver.received).toHaveLength(sent);
  await purgeWebhooks(events.systemDatabase);
  const [left] = await events.adminSql`
    select (select count(*)::int from webhook_endpoints where store_id = ${storeId}) as endpoints,
      (select count(*)::int from webhook_deliveries where store_id = ${storeId}) as deliveries,
      (select count(*)::int from webhook_attempts where store_id = ${storeId}) as attempts`;
  expect(left).toEqual({ endpoints: 0, deliveries: 0, attempts: 0 });
});

describe('the order of the events of an entity', () => {
  test('waiting counted as backoff (polar 9525): what waited for its predecessor is sent right after it', async () => {
    const staged = await stage();
    const { receiver, append, pass, drain } = staged;
    receiver.answer(({ event }, number) => ({ status: event.sequence === 1 && number < 3 ? 500 : 200 }));
    const lead = randomUUID();
    await append(lead, lead, lead);
    await expect.poll(async () => (await staged.deliveries())[0]?.error).toBe('http_500');
    await pass(10_000);
    await drain();
    expect(sequences(staged)).toEqual([1, 1]);
    await pass(6 * 60_000);
    await drain();
    await expect.poll(() => sequences(staged)).toEqual([1, 1, 1, 2, 3]);
    await expect.poll(async () => statuses(await staged.deliveries())).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect((await staged.deliveries()).map(({ attempts }) => attempts)).toEqual([3, 1, 1]);
  });

  test('a poisoned event holds the later ones of its entity for an hour, and those of others not at all', async () => {
    const staged = await stage();
    const { receiver, append, pass, drain } = staged;
    receiver.answer(({ event }) => ({ status: event.sequence === 1 ? 400 : 200 }));
    const [poisoned, other] = [randomUUID(), randomUUID()];
    await append(poisoned, poisoned, other);
    await expect
      .poll(async () => {
        await drain();
        return sequences(staged);
      })
      .toEqual([1, 3]);
    // Time that passes in an attempt would end its lease, and its outcome would be lost.
    await expect.poll(async () => statuses(await staged.deliveries())).toEqual(['pending', 'pending', 'succeeded']);
    await expect.poll(async () => (await staged.deliveries())[0]?.error).toBe('http_400');
    await pass(hourMs / 2);
    await drain();
    expect(sequences(staged)).not.toContain(2);
    await pass(hourMs / 2);
    await drain();
    expect(sequences(staged)).toContain(2);
  });

  test('an endpoint that answers to nothing for hours gets the events in their order afterwards', async () => {
    const staged = await stage();
    const { receiver, append, pass, drain } = staged;
    receiver.answer(() => 'reset');
    const lead = randomUUID();
    await append(lead, lead);
    for (let hours = 0; hours < 4; hours += 1) {
      await pass(hourMs);
      await drain();
    }
    expect(sequences(staged)).not.toContain(2);
    receiver.answer(() => ({ status: 200 }));
    await pass(24 * hourMs);
    await expect
      .poll(async () => {
        await drain();
        return sequences(staged).slice(-2);
      })
      .toEqual([1, 2]);
  });

  test('without an order, an event that fails holds no other', async () => {
    const staged = await stage({ ordering: 'none' });
    staged.receiver.answer(({ event }) => ({ status: event.sequence === 1 ? 400 : 200 }));
    const lead = randomUUID();
    await staged.append(lead, lead);
    await expect
      .poll(async () => {
        await staged.drain();
        return sequences(staged);
      })
      .toContain(2);
  });
});

test.each([429, 503])('%s pauses the whole endpoint for `Retry-After`', async (status) => {
  const staged = await stage({ max_in_flight: 1 });
  const { receiver, append, drain, pass } = staged;
  receiver.answer(() => ({ status, headers: { 'retry-after': '600' } }));
  await append(randomUUID(), randomUUID());
  await expect.poll(async () => (await staged.deliveries())[0]?.error).toBe(`http_${status}`);
  receiver.answer(() => ({ status: 200 }));
  await pass(590_000);
  expect(await drain()).toMatchObject({ done: false, reason: 'the endpoint fails' });
  expect(receiver.received).toHaveLength(1);
  await pass(20_000);
  await expect
    .poll(async () => {
      await drain();
      return statuses(await staged.deliveries());
    })
    .toEqual(['succeeded', 'succeeded']);
});

test('a redirect is a failure, and its target gets nothing', async () => {
  const [staged, target] = [await stage(), await startWebhookReceiver()];
  staged.receiver.answer(() => ({ status: 307, headers: { location: target.url } }));
  await staged.append(randomUUID());
  await expect.poll(async () => (await staged.deliveries())[0]?.error).toBe('redirect');
  expect([target.received, target.faults]).toEqual([[], []]);
  await target.close();
});

test('an attempt whose process died is made again with the same `webhook-id`, and only once', async () => {
  const staged = await stage();
  const { storeId, append, pass, receiver } = staged;
  const [id] = await append(randomUUID());
  await expect.poll(async () => statuses(await staged.deliveries())).toEqual(['succeeded']);
  // As if the process had died after its call and before it recorded the outcome.
  await events.adminSql`
    update webhook_deliveries
    set status = 'pending', completed_at = null, lease_token = gen_random_uuid(),
        lease_until = now() + interval '1 minute', next_attempt_at = now() + interval '1 minute'
    where store_id = ${storeId}`;
  await events.adminSql`update webhook_endpoints set due_at = now() + interval '1 minute' where store_id = ${storeId}`;
  await pass(60_000);
  await expect.poll(async () => statuses(await staged.deliveries())).toEqual(['succeeded']);
  expect(receiver.received.map((webhook) => webhook.id)).toEqual([id, id]);
});

test('replay stops silently at 10,000 (svix): a replay sends everything, whatever its length', async () => {
  const staged = await stage({ max_in_flight: 20 });
  const { storeId, endpoint, receiver, drain } = staged;
  // More than one run of the planner looks through, and more than may wait at once.
  const many = mostWaiting + 50;
  await update(staged, { status: 'paused' });
  await appendTo(
    events,
    storeId,
    Array.from({ length: many }, () => randomUUID()),
  );
  await update(staged, { status: 'enabled', resume_from: many + 1 });
  const params = { endpointId: endpoint.id };
  const created = await events.rpc.call(
    createWebhookReplay,
    { params, body: { from_sequence: 1, only: 'all' } },
    testContext({ storeId }),
  );
  expect(created).toMatchObject({ status: 'running', from_sequence: 1, to_sequence: many });
  const replay = async () => {
    await drain();
    const read = { params: { ...params, replayId: created.id } };
    return await events.rpc.call(getWebhookReplay, read, testContext({ storeId }));
  };
  await expect.poll(async () => (await replay()).status).toBe('done');
  expect((await replay()).deliveries).toEqual({ total: many, pending: 0, succeeded: many, failed: 0 });
  expect(new Set(receiver.received.map(({ event }) => event.sequence)).size).toBe(many);
});

test('the log keeps 4 KiB of an answer for 7 days, and an attempt for 30', async () => {
  const staged = await stage();
  const { storeId, endpoint, receiver, append } = staged;
  receiver.answer(() => ({ status: 200, body: 'x'.repeat(10_000) }));
  await append(randomUUID());
  await expect.poll(async () => statuses(await staged.deliveries())).toEqual(['succeeded']);
  const [{ id: deliveryId = '' } = {}] = await staged.deliveries();
  const log = async () => {
    await purgeWebhooks(events.systemDatabase);
    const params = { endpointId: endpoint.id, deliveryId };
    return (await events.rpc.call(eventsOperations.getWebhookDelivery, { params }, testContext({ storeId }))).log;
  };
  expect(await log()).toMatchObject([
    { number: 1, response_status: 200, response_body: 'x'.repeat(4_096), error: null },
  ]);
  const age = (days: number) => events.adminSql`
    update webhook_attempts set started_at = now() - ${days} * interval '1 day' where store_id = ${storeId}`;
  await age(8);
  expect(await log()).toMatchObject([{ number: 1, response_body: null }]);
  await age(31);
  expect(await log()).toEqual([]);
  await events.adminSql`
    update webhook_deliveries set completed_at = now() - interval '31 days' where store_id = ${storeId}`;
  await purgeWebhooks(events.systemDatabase);
  const params = { endpointId: endpoint.id };
  const list = await events.rpc.call(listWebhookDeliveries, { params, query: {} }, testContext({ storeId }));
  expect(list.total).toBe(0);
});
