import { randomUUID } from 'node:crypto';
import { type Appointment, appendEvents, type FeedEntry, maxEventDataBytes } from '@mostrador/contracts';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Origin } from '../rpc/actor.ts';
import { createRpcClient, type RpcClient } from '../rpc/client.ts';
import { AppError, validationFailed } from '../rpc/errors.ts';
import { createRpcServer, type RpcServer } from '../rpc/server.ts';
import { feedRepository } from './feed.repository.ts';
import { createFeedDelivery } from './feed-delivery.ts';
import { appendOutbox, createRelay, type PublicEvent } from './outbox.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';

let kit: TestDatabase;
let nats: TestNats;
let events: EventsService;
let rpc: RpcClient;
let deliveries: OutboxDelivery[];

beforeEach(async () => {
  deliveries = [];
  [kit, nats] = await Promise.all([createKitDatabase(), startTestNats()]);
  rpc = createRpcClient({ nats: nats.nats, log: silentLog() });
  events = await serveEvents();
});
afterEach(async () => {
  await Promise.all(deliveries.map((delivery) => delivery.stop()));
  await events.stop();
  await Promise.all([nats.stop(), kit.drop()]);
});

/** The events service as far as a relay sees it: it keeps each event once, in the order of arrival. */
type EventsService = {
  readonly feed: FeedEntry[];
  readonly requests: FeedEntry[][];
  /** Throws what the service answers instead. */
  answer: (entries: FeedEntry[]) => void | Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
};

async function serveEvents(): Promise<EventsService> {
  let server: RpcServer | undefined;
  const known = new Set<string>();
  const service: EventsService = {
    feed: [],
    requests: [],
    answer: () => {},
    async start() {
      server = createRpcServer({
        nats: nats.nats,
        service: 'events',
        operations: { appendEvents },
        handlers: {
          appendEvents: async (_context, { body: { entries } }) => {
            service.requests.push(entries);
            await service.answer(entries);
            const fresh = entries.filter(({ id }) => !known.has(id));
            for (const { id } of fresh) known.add(id);
            service.feed.push(...fresh);
            return { appended: fresh.length };
          },
        },
        log: silentLog(),
      });
      await nats.nats.flush();
    },
    async stop() {
      await server?.drain();
      server = undefined;
    },
  };
  await service.start();
  return service;
}

function startDelivery(options: { rpc?: Pick<RpcClient, 'call'>; sweepIntervalMs?: number } = {}): OutboxDelivery {
  const repository = feedRepository(kit.systemDatabase);
  const delivery = createFeedDelivery({ repository, rpc, log: silentLog(), sweepIntervalMs: 50, ...options });
  deliveries.push(delivery);
  delivery.start();
  return delivery;
}

const storeId = randomUUID();
const scope = () => ({ storeId, deadline: Date.now() + 30_000 });
const append = (...entries: PublicEvent[]) => kit.database.write(scope(), (sql) => appendOutbox(sql, storeId, entries));

const appointment = (id: string, text = '', state = 0): PublicEvent => ({
  kind: 'feed',
  type: 'appointment.updated',
  entityId: id,
  etag: '"v2"',
  data: { appointment_id: id, lead_id: null, scheduled_at: new Date(state).toISOString(), status: 'scheduled' },
  object: { id, notes: text } as Appointment,
  before: { id, notes: null } as Appointment,
});
const stateOf = ({ data }: FeedEntry) => Date.parse(String(data.scheduled_at));
const waiting = () => kit.adminSql<{ id: string; set_aside_at: Date | null; last_error: string | null }[]>`
  select id, set_aside_at, last_error from feed_entries order by position`;
const untilSent = () =>
  waitFor(async () => (await waiting()).length === 0, { description: 'every feed entry is delivered' });
const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
const entitiesOf = (entries: readonly FeedEntry[]) => entries.map(({ entity }) => entity.id);

test('an event reaches the feed with its data, and its position as the version', async () => {
  const id = randomUUID();
  startDelivery();
  await append(appointment(id, 'Bring the glasses'));
  await untilSent();
  expect(events.feed).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      store_id: storeId,
      type: 'appointment.updated',
      entity: { type: 'appointment', id, version: 1, etag: '"v2"' },
      actor: { kind: 'system', id: null },
      request_id: null,
      previous: { notes: null },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        appointment_id: id,
        lead_id: null,
        scheduled_at: new Date(0).toISOString(),
        status: 'scheduled',
        object: { id, notes: 'Bring the glasses' },
      },
    },
  ]);
  // The members have the order that the API has.
  expect(Object.keys(events.feed[0]?.data ?? {})).toEqual([
    ...['appointment_id', 'lead_id', 'scheduled_at', 'status'],
    'object',
  ]);
});

test('an event tells who caused it and with which request, and exactly the members that changed', async () => {
  const before = { title: 'Exame', notes: 'a', metadata: { order: '1', room: null }, updated_at: '2027-01-31' };
  const after = { ...before, notes: 'b', metadata: { order: '2', room: null }, updated_at: '2027-02-01' };
  const event = { ...appointment(randomUUID()), object: after, before } as unknown as PublicEvent;
  const key = { kind: 'api_key', id: 'abc' } as const;
  const write = (origin: { actor?: Origin['actor']; requestId?: string }, entry = event) =>
    kit.database.write({ ...scope(), ...origin }, (sql) => appendOutbox(sql, storeId, [entry]));
  await write({ actor: key, requestId: 'r-1' });
  await write({ actor: { kind: 'channel', id: 'c' }, requestId: 'r-2' });
  // A gateway of the previous version does not say who asks.
  await write({ actor: null, requestId: 'r-3' });
  await write({ requestId: 'r-4' }, { ...event, origin: { actor: key, requestId: 'r-5' } });
  startDelivery();
  await untilSent();
  expect(events.feed.map(({ actor, request_id }) => [actor, request_id])).toEqual([
    [key, 'r-1'],
    [{ kind: 'channel', id: 'c' }, null],
    [null, 'r-3'],
    [key, 'r-5'],
  ]);
  for (const { previous } of events.feed)
    expect(previous).toEqual({ notes: 'a', metadata: { order: '1', room: null } });
});

test('an events service of the previous version gets the entries in its form, and an entry of one is sent on', async () => {
  const [id = '', old = ''] = ids(2);
  await kit.adminSql`
    insert into feed_entries (store_id, type, entity_type, entity_id, data)
    values (${storeId}, 'lead.updated', 'lead', ${old}, '{}')`;
  await append(appointment(id));
  events.answer = (entries) => {
    const isKnown = entries.every((entry) => !('actor' in entry) && !('etag' in entry.entity));
    if (!isKnown) throw validationFailed([{ pointer: '#/entries/0/actor', detail: 'is not a member of this object' }]);
  };
  startDelivery();
  await untilSent();
  expect(entitiesOf(events.feed)).toEqual([old, id]);
});

test('an event of a transaction that was rolled back never reaches the feed', async () => {
  const [lost = '', kept = ''] = ids(2);
  const failing = kit.database.write(scope(), async (sql) => {
    await appendOutbox(sql, storeId, [appointment(lost)]);
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  await append(appointment(kept));
  startDelivery();
  await untilSent();
  expect(entitiesOf(events.feed)).toEqual([kept]);
});

test('an event whose data would exceed 20 KiB has no object', async () => {
  const id = randomUUID();
  const unchanged = (text: string) => ({ ...appointment(id, text), before: undefined }) as unknown as PublicEvent;
  const overhead = Buffer.byteLength(JSON.stringify(dataOf(unchanged(''))));
  const atLimit = 'é'.repeat((maxEventDataBytes - overhead) / 2);
  await append(unchanged(atLimit), unchanged(`${atLimit}éé`), appointment(id, atLimit));
  startDelivery();
  await untilSent();
  const notes = events.feed.map(({ data }) => (data.object as { notes: string } | null)?.notes);
  // What the resource was before is left out first.
  expect(notes).toEqual([atLimit, undefined, atLimit]);
  expect(events.feed[2]?.previous).toBeNull();
});
const dataOf = ({ data, object }: PublicEvent) => ({ ...data, object });

test('the events of one array keep their order, also in batches of 200', async () => {
  const entities = ids(450);
  await append(...entities.map((id) => appointment(id)));
  startDelivery();
  await untilSent();
  expect(entitiesOf(events.feed)).toEqual(entities);
  expect(events.requests.map(({ length }) => length)).toEqual([200, 200, 50]);
});

test('a request has at most 512 KiB of data', async () => {
  const entities = ids(60);
  await append(...entities.map((id) => appointment(id, 'x'.repeat(19_000))));
  startDelivery();
  await untilSent();
  expect(entitiesOf(events.feed)).toEqual(entities);
  for (const request of events.requests) {
    expect(Buffer.byteLength(JSON.stringify(request.map(({ data }) => data)))).toBeLessThanOrEqual(512 * 1024 + 200);
  }
  expect(events.requests.length).toBe(3);
});

test('with two relays the events of each entity are in order, and each is in the feed once', async () => {
  const entities = ids(8);
  for (const id of entities)
    await kit.adminSql`insert into notes (store_id, id, text) values (${storeId}, ${id}, ${id})`;
  const relays = [startDelivery(), startDelivery()];
  const change = (id: string) =>
    kit.database.write(scope(), async (sql) => {
      // The lock gives the changes of an entity their order.
      const [row] = await sql`select text from notes where id = ${id} for no key update`;
      const state = Number(String(row?.text).split(' ')[1] ?? 0) + 1;
      await sql`update notes set text = ${`${id} ${state}`} where id = ${id}`;
      await appendOutbox(sql, storeId, [appointment(id, '', state)]);
    });
  for (let round = 0; round < 25; round++) {
    await Promise.all(entities.flatMap((id) => [change(id), change(id)]));
    for (const relay of relays) relay.nudge();
  }
  await untilSent();
  expect(events.feed).toHaveLength(8 * 50);
  for (const entries of Map.groupBy(events.feed, ({ entity }) => entity.id).values()) {
    expect(entries.map(stateOf)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    const versions = entries.map(({ entity }) => entity.version);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  }
});

test('a transaction that commits after one with later positions loses nothing', async () => {
  const [slow = '', fast = ''] = ids(2);
  startDelivery();
  const hold = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slowly = kit.database.write(scope(), async (sql) => {
    await appendOutbox(sql, storeId, [appointment(slow)]);
    begun.resolve();
    await hold.promise;
  });
  await begun.promise;
  await append(appointment(fast));
  await waitFor(() => events.feed.length === 1, { description: 'the later position is delivered' });
  hold.resolve();
  await slowly;
  await untilSent();
  expect(entitiesOf(events.feed)).toEqual([fast, slow]);
  expect(events.feed.map(({ entity }) => entity.version)).toEqual([2, 1]);
});

test('entries that were delivered but not deleted are sent again under the same ids', async () => {
  await append(...ids(3).map((id) => appointment(id)));
  const died = Promise.withResolvers<void>();
  // A process that is killed between the reply and the deletion.
  const dying: Pick<RpcClient, 'call'> = {
    call: async (...request) => {
      await rpc.call(...request);
      died.resolve();
      return await new Promise(() => {});
    },
  };
  const repository = feedRepository(kit.systemDatabase);
  createFeedDelivery({ repository, rpc: dying, log: silentLog(), sweepIntervalMs: 50 }).start();
  await died.promise;
  expect(await waiting()).toHaveLength(3);
  startDelivery();
  await untilSent();
  const [first, second] = events.requests;
  expect(second).toEqual(first);
  expect(events.feed).toHaveLength(3);
});

test('while the events service is down the entries wait, and follow in order when it is back', async () => {
  await events.stop();
  const relay = createRelay({
    ...{ database: kit.systemDatabase, nats: nats.nats, feed: rpc, log: silentLog(), sweepIntervalMs: 50 },
    temporal: { signalWithStart: async () => {} },
  });
  deliveries.push(relay);
  relay.start();
  const entities = ids(250);
  await append(...entities.map((id) => appointment(id)));
  relay.nudge();
  await waitFor(async () => ((await relay.feedBacklog())?.oldestSeconds ?? 0) > 0, { description: 'a backlog' });
  expect(await relay.feedBacklog()).toMatchObject({ entries: 250, setAside: 0 });
  expect(await relay.backlog()).toEqual({ entries: 0, setAside: 0, oldestSeconds: 0 });
  await events.start();
  await untilSent();
  expect(entitiesOf(events.feed)).toEqual(entities);
  expect(await relay.feedBacklog()).toEqual({ entries: 0, setAside: 0, oldestSeconds: 0 });
});

test('an acknowledgement of an event stream that takes the request is no reply', async () => {
  await events.stop();
  const { streams } = await nats.nats.jetstreamManager();
  await streams.add({ name: 'EVENTS', subjects: ['events.>'] });
  const [id = ''] = ids(1);
  await append(appointment(id));
  startDelivery();
  await waitFor(async () => (await streams.info('EVENTS')).state.messages > 0, {
    description: 'the request is stored',
  });
  await streams.update('EVENTS', { subjects: ['events.crm.>'] });
  await events.start();
  await untilSent();
  expect(entitiesOf(events.feed)).toEqual([id]);
});

test('an entry that the service refuses is set aside and delays no other', async () => {
  const entities = ids(230);
  const refused: (string | undefined)[] = [0, 150, 151, 229].map((index) => entities[index]);
  await append(...entities.map((id) => appointment(id)));
  events.answer = (entries) => {
    if (entries.some(({ entity }) => refused.includes(entity.id))) {
      throw validationFailed([{ pointer: '#/entries', detail: 'is wrong' }]);
    }
  };
  startDelivery();
  await waitFor(async () => (await waiting()).every(({ set_aside_at }) => set_aside_at), {
    description: 'all others are delivered',
  });
  expect(entitiesOf(events.feed)).toEqual(entities.filter((id) => !refused.includes(id)));
  expect(await feedRepository(kit.systemDatabase).backlog()).toEqual({ entries: 0, setAside: 4, oldestSeconds: 0 });
  for (const { last_error } of await waiting()) expect(last_error).toContain('validation_failed');

  // An operator sends them again.
  events.answer = () => {};
  await kit.adminSql`update feed_entries set set_aside_at = null, last_error = null`;
  await untilSent();
  expect(entitiesOf(events.feed.slice(-4))).toEqual(refused);
});

test('an error of the service sets nothing aside', async () => {
  const failures = [new Error('a fault'), new AppError('service_unavailable')];
  const entities = ids(3);
  await append(...entities.map((id) => appointment(id)));
  events.answer = () => {
    const failure = failures.shift();
    if (failure) throw failure;
  };
  startDelivery();
  await untilSent();
  expect(failures).toEqual([]);
  expect(entitiesOf(events.feed)).toEqual(entities);
});

test('a delivery that stops ends its request and sends no more', async () => {
  const arrived = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  events.answer = async () => {
    arrived.resolve();
    await hold.promise;
  };
  const delivery = startDelivery();
  const [first = '', second = ''] = ids(2);
  await append(appointment(first));
  await arrived.promise;
  await append(appointment(second));
  const stopped = delivery.stop();
  hold.resolve();
  await stopped;
  expect(entitiesOf(events.feed)).toEqual([first]);
  expect(await waiting()).toHaveLength(1);
});
