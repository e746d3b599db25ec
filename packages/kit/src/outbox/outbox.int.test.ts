import { randomUUID } from 'node:crypto';
import type { DomainEvent } from '@mostrador/contracts';
import { silentLog } from '@mostrador/testing/context';
import { startTcpProxy, type TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { type TestTemporal, testTemporal } from '@mostrador/testing/servers/temporal';
import { waitFor } from '@mostrador/testing/wait';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectTemporal, type Temporal } from '../clients/temporal.ts';
import type { SpanOptions, Tracing } from '../process/tracing.ts';
import { AppError } from '../rpc/errors.ts';
import { ensureEventStream } from '../rpc/nats.ts';
import { outboxRepository } from './outbox.repository.ts';
import { appendOutbox, causedBy, createRelay, type OutboxEntry, type Relay, type RelayOptions } from './outbox.ts';

let kit: TestDatabase;
let nats: TestNats;
let server: TestTemporal;
let wayToTemporal: TcpProxy;
let temporal: Temporal;
let relays: Relay[];

beforeEach(async () => {
  relays = [];
  [kit, nats, server] = await Promise.all([createKitDatabase(), startTestNats(), testTemporal()]);
  await ensureEventStream(nats.nats);
  wayToTemporal = await startTcpProxy(server.address);
  temporal = connectTemporal({ address: wayToTemporal.address, namespace: server.namespace, log: silentLog() });
});
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()));
  await temporal.close();
  await Promise.all([wayToTemporal.close(), server.close(), nats.stop(), kit.drop()]);
});

/** A relay that sweeps only when nudged, unless `options` say otherwise. */
function startRelay(options: Partial<RelayOptions> = {}): Relay {
  const { systemDatabase: database } = kit;
  const defaults = { database, temporal, nats: nats.nats, log: silentLog(), sweepIntervalMs: 60_000 };
  const relay = createRelay({ ...defaults, ...options });
  relays.push(relay);
  relay.start();
  return relay;
}

const storeId = randomUUID();
const append = (entries: readonly OutboxEntry[]) =>
  kit.database.write({ storeId, deadline: Date.now() + 30_000 }, (sql) => appendOutbox(sql, storeId, entries));
const wakeUp = (entityId: string, signal: 'created' | 'changed' = 'created', leadId?: string): OutboxEntry => ({
  kind: 'workflow',
  workflow: 'appointment',
  entityId,
  signal,
  leadId,
});
const fact = (sellerId: string): OutboxEntry => ({
  kind: 'event',
  type: 'crm.seller.created',
  data: { seller_id: sellerId, is_active: true },
});
const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

const empty = async (kind?: string) =>
  (await kit.adminSql`select 1 from outbox where kind = coalesce(${kind ?? null}, kind)`).length === 0;
const untilEmpty = (kind?: string) => waitFor(() => empty(kind), { description: 'the outbox is empty' });

async function publishedEvents(): Promise<DomainEvent[]> {
  const manager = await nats.nats.jetstreamManager();
  const { state } = await manager.streams.info('EVENTS');
  const messages = Array.from({ length: state.messages }, (_, index) =>
    manager.streams.getMessage('EVENTS', { seq: state.first_seq + index }),
  );
  return (await Promise.all(messages)).map((message) => message.json<DomainEvent>());
}

async function signalsOf(client: Client, entityId: string): Promise<string[]> {
  const history = await client.workflow.getHandle(`appointment:${entityId}`).fetchHistory();
  return (history.events ?? []).flatMap(
    ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName ?? [],
  );
}

test('an entry of a transaction that was rolled back is never delivered', async () => {
  const failing = kit.database.write({ storeId, deadline: Date.now() + 30_000 }, async (sql) => {
    await appendOutbox(sql, storeId, [fact(randomUUID())]);
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  expect(await empty()).toBe(true);
});

test('a nudge delivers committed entries at once, to Temporal and to the stream', async () => {
  const relay = startRelay();
  const [appointmentId = '', leadId = '', sellerId = ''] = ids(3);
  await append([wakeUp(appointmentId, 'created', leadId), fact(sellerId)]);
  relay.nudge(['workflow', 'event']);
  await untilEmpty();
  const description = await server.client.workflow.getHandle(`appointment:${appointmentId}`).describe();
  const attributes = description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
  expect(Object.fromEntries(attributes)).toEqual({ StoreId: storeId, LeadId: leadId, EntityId: appointmentId });
  expect(description).toMatchObject({ type: 'appointment', taskQueue: 'calendar' });
  expect(await description.staticSummary()).toBe(`appointment ${appointmentId}`);
  expect(await publishedEvents()).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'crm.seller.created',
      store_id: storeId,
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { seller_id: sellerId, is_active: true },
    },
  ]);
});

test('without a nudge the sweep finds the entries', async () => {
  startRelay({ sweepIntervalMs: 100 });
  await append([fact(randomUUID())]);
  await untilEmpty();
});

test('several wake-ups of one row in a batch become one signal', async () => {
  const entityId = randomUUID();
  await append([wakeUp(entityId, 'created'), wakeUp(entityId, 'changed'), wakeUp(entityId, 'changed')]);
  startRelay();
  await untilEmpty();
  expect(await signalsOf(server.client, entityId)).toEqual(['changed']);
});

test('two concurrent relays lose nothing and deliver each entry once', async () => {
  const [entities, sellers] = [ids(150), ids(300)];
  for (const part of [0, 1, 2]) {
    await append([
      ...entities.slice(part * 50, part * 50 + 50).map((id) => wakeUp(id)),
      ...sellers.slice(part * 100, part * 100 + 100).map(fact),
    ]);
  }
  startRelay({ batch: 20 });
  startRelay({ batch: 20 });
  await untilEmpty();
  const published = (await publishedEvents()).map(({ data }) => (data as { seller_id: string }).seller_id);
  expect(published.toSorted()).toEqual(sellers.toSorted());
  const signals = await Promise.all(entities.map((entity) => signalsOf(server.client, entity)));
  expect(new Set(signals.flat())).toEqual(new Set(['created']));
  expect(signals.filter(({ length }) => length === 0)).toEqual([]);
  // A call that Temporal does not answer in time is repeated: at most what both relays have in flight.
  expect(signals.filter(({ length }) => length > 1).length).toBeLessThanOrEqual(2 * 20);
});

test('rows that a dead relay had claimed are delivered by another after the lease', async () => {
  const [entityId = '', sellerId = ''] = ids(2);
  await append([wakeUp(entityId), fact(sellerId)]);
  const dead = outboxRepository(kit.systemDatabase);
  expect(await dead.claim('workflow', 10, 60_000)).toHaveLength(1);
  expect(await dead.claim('event', 10, 60_000)).toHaveLength(1);
  startRelay({ sweepIntervalMs: 100 });
  expect(await dead.claim('event', 10, 60_000)).toHaveLength(0);
  // The leases are over.
  await kit.adminSql`update outbox set next_attempt_at = now()`;
  await untilEmpty();
  expect(await signalsOf(server.client, entityId)).toContain('created');
  expect(await publishedEvents()).toHaveLength(1);
});

test('an event that was sent but not yet removed is sent again, and the stream drops the duplicate', async () => {
  await append([fact(randomUUID())]);
  const rows = await kit.adminSql`select * from outbox`;
  const relay = startRelay();
  await untilEmpty();
  await kit.adminSql`insert into outbox ${kit.adminSql(rows)}`;
  relay.nudge();
  await untilEmpty();
  expect(await publishedEvents()).toHaveLength(1);
});

test('while Temporal is down events go out, and the wake-ups follow when it is back', async () => {
  wayToTemporal.cut();
  const relay = startRelay({ sweepIntervalMs: 200 });
  const entities = ids(120);
  await append([...entities.map((id) => wakeUp(id)), ...ids(120).map(fact)]);
  relay.nudge();
  await untilEmpty('event');
  expect(await publishedEvents()).toHaveLength(120);
  expect(await relay.backlog()).toEqual({ entries: 120, setAside: 0, oldestSeconds: expect.any(Number) });
  const [failed] = await waitFor(
    () => kit.adminSql`select last_error from outbox where last_error is not null limit 1`,
    {
      description: 'the error is kept for operators',
    },
  );
  expect(failed?.last_error).toBe('service_unavailable');
  wayToTemporal.mend();
  await untilEmpty('workflow');
  for (const entity of entities) expect(await signalsOf(server.client, entity)).toContain('created');
});

test('while NATS is down wake-ups go out, and the events follow when it is back', async () => {
  await nats.stopServer();
  const relay = startRelay({ sweepIntervalMs: 200 });
  const entityId = randomUUID();
  await append([wakeUp(entityId), ...ids(120).map(fact)]);
  relay.nudge();
  await untilEmpty('workflow');
  expect(await signalsOf(server.client, entityId)).toEqual(['created']);
  await nats.startServer();
  await untilEmpty('event');
  expect(await publishedEvents()).toHaveLength(120);
});

test('a rejected entry delays no other', async () => {
  await kit.adminSql`
    insert into outbox (store_id, kind, topic, entity_id, signal)
    values (${storeId}, 'workflow', 'unknown', ${randomUUID()}, 'created')`;
  await append(ids(30).map((id) => wakeUp(id)));
  startRelay({ sweepIntervalMs: 100, batch: 10 });
  const left = () => kit.adminSql`select topic, last_error from outbox`;
  await waitFor(async () => (await left()).length === 1, { description: 'all others are delivered' });
  expect((await left())[0]).toMatchObject({ topic: 'unknown', last_error: expect.stringMatching(/TypeError/) });
});

test('a relay that stops finishes its claimed rows and claims no more', async () => {
  const relay = startRelay({ batch: 10 });
  await append(ids(40).map(fact));
  relay.nudge();
  await relay.stop();
  const [left] = await kit.adminSql`
    select count(*)::int as waiting, count(*) filter (where next_attempt_at > now())::int as taken from outbox`;
  expect(left?.taken).toBe(0);
  expect((await publishedEvents()).length + left?.waiting).toBe(40);
});

/** A Temporal that does not answer for these entities until `mend`. */
function slowFor(entityIds: readonly string[]) {
  const mended = Promise.withResolvers<void>();
  const asked = new Set<string>();
  const woken = new Set<string>();
  return {
    asked,
    woken,
    mend: () => mended.resolve(),
    async signalWithStart(_workflow: unknown, { entityId }: { entityId: string }) {
      asked.add(entityId);
      if (entityIds.includes(entityId)) await mended.promise;
      woken.add(entityId);
    },
  };
}

test('a wake-up that Temporal does not answer delays no other', async () => {
  const slow = ids(3);
  const stub = slowFor(slow);
  await append(slow.map((id) => wakeUp(id)));
  const relay = startRelay({ temporal: stub, batch: 10 });
  await waitFor(() => stub.asked.size === 3, { description: 'the slow signals are on their way' });
  for (const others of [ids(40), ids(40)]) {
    await append(others.map((id) => wakeUp(id)));
    relay.nudge();
    await waitFor(() => others.every((id) => stub.woken.has(id)), { description: 'the others are delivered' });
  }
  expect(slow.some((id) => stub.woken.has(id))).toBe(false);
  stub.mend();
  await untilEmpty('workflow');
});

test('a timeout of one wake-up is no outage, while others are answered', async () => {
  const [slow = ''] = ids(1);
  const timedOut = Promise.withResolvers<never>();
  const woken = new Set<string>();
  const signalWithStart = async (_workflow: unknown, { entityId }: { entityId: string }) => {
    if (entityId === slow && !woken.has(slow)) await timedOut.promise;
    woken.add(entityId);
  };
  await append([wakeUp(slow)]);
  const relay = startRelay({ temporal: { signalWithStart } });
  await append(ids(5).map((id) => wakeUp(id)));
  relay.nudge();
  await waitFor(() => woken.size === 5, { description: 'the others are delivered' });
  timedOut.reject(new AppError('upstream_timeout'));
  const failed = () => kit.adminSql`select 1 from outbox where last_error = 'upstream_timeout'`;
  await waitFor(async () => (await failed()).length === 1, { description: 'the timeout is recorded' });
  await append(ids(5).map((id) => wakeUp(id)));
  // In an outage a nudge is ignored, and this relay does not sweep.
  relay.nudge();
  await waitFor(() => woken.size === 10, { description: 'a nudge still delivers' });
});

test('an event that the stream can never take delays no other, and is set aside after ten refusals', async () => {
  await kit.adminSql`
    insert into outbox (store_id, kind, topic, data, attempts)
    select ${storeId}, 'event', 'crm.seller.created', jsonb_build_object('name', repeat('x', 9000000)), attempts
    from unnest(array[0, 9]) as attempts`;
  await append(ids(30).map(fact));
  const relay = startRelay({ sweepIntervalMs: 60_000, batch: 10 });
  const left = () => kit.adminSql`
    select last_error, next_attempt_at > now() + interval '5 minutes' as set_aside from outbox order by attempts`;
  await waitFor(async () => (await left()).length === 2, { description: 'all others are delivered' });
  await waitFor(async () => (await left()).every(({ last_error }) => /^refused: .*MAX_PAYLOAD/.test(last_error)), {
    description: 'the refusals are recorded',
  });
  expect((await left()).map(({ set_aside }) => set_aside)).toEqual([false, true]);
  expect(await relay.backlog()).toEqual({ entries: 2, setAside: 1, oldestSeconds: expect.any(Number) });
});

test('a wake-up has the trace of its cause, else that of its transaction, and the relay goes on with it', async () => {
  const [own, shared, old] = ids(3) as [string, string, string];
  const traceOf = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
  const scope = { storeId, deadline: Date.now() + 30_000, traceparent: traceOf('1') };
  const origin = { actor: null, requestId: null, traceparent: traceOf('2') };
  await kit.database.write(scope, (sql) =>
    appendOutbox(sql, storeId, [wakeUp(shared), ...causedBy(origin, [wakeUp(own)])]),
  );
  // One signal stands for both, and keeps the trace.
  await append([wakeUp(shared, 'changed')]);
  // As the previous version writes an entry.
  await kit.adminSql`
    insert into outbox (store_id, kind, topic, entity_id, signal)
    values (${storeId}, 'workflow', 'appointment', ${old}, 'created')`;
  const followed = new Map<unknown, unknown>();
  const tracing = {
    follow: (_kind: string, _name: string, { parent, attributes }: SpanOptions) =>
      void followed.set(attributes?.()['mostrador.entity_id'], parent),
  } as unknown as Tracing;
  startRelay({ tracing });
  await untilEmpty();
  expect(followed).toEqual(
    new Map([
      [shared, traceOf('1')],
      [own, traceOf('2')],
      [old, null],
    ]),
  );
});
