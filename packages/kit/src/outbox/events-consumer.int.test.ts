import { randomUUID } from 'node:crypto';
import { type EventType, eventStream, eventSubject } from '@mostrador/contracts';
import { silentLog } from '@mostrador/testing/context';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { AckPolicy, nanos } from 'nats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Periodic } from '../process/periodic.ts';
import { ensureEventStream, isConnected } from '../rpc/nats.ts';
import { consumeEvents, type EventsConsumerOptions } from './events-consumer.ts';

type OptedOut = 'messaging.lead.opted_out';
let server: TestNats;
let consumers: Periodic[];
beforeEach(async () => {
  server = await startTestNats();
  await ensureEventStream(server.nats);
  consumers = [];
});
afterEach(async () => {
  await Promise.all(consumers.map((consumer) => consumer.stop()));
  await server.stop();
});

function consume(handle: EventsConsumerOptions<OptedOut>['handle'], mostDeliveries?: number): Periodic {
  const types = ['messaging.lead.opted_out'] as const;
  return consumeWith(mostDeliveries === undefined ? { types, handle } : { types, handle, mostDeliveries });
}

type Settings<T extends EventType> = Omit<EventsConsumerOptions<T>, 'nats' | 'log' | 'name'>;
function consumeWith<const T extends EventType>(settings: Settings<T>): Periodic {
  const consumer = consumeEvents<T>({ nats: server.nats, log: silentLog(), name: 'test', ...settings });
  consumers.push(consumer);
  consumer.start();
  return consumer;
}

async function publish(type: EventType = 'messaging.lead.opted_out', data: object = { lead_id: randomUUID() }) {
  const id = randomUUID();
  const event = { id, type, store_id: randomUUID(), occurred_at: new Date().toISOString(), data };
  const publishing = () => server.nats.jetstream().publish(eventSubject(type), JSON.stringify(event), { msgID: id });
  await waitFor(publishing, { description: 'the stream accepts an event' });
  return id;
}

const until = (condition: () => boolean, description: string) => waitFor(condition, { description });
const pending = async () => {
  const manager = await server.nats.jetstreamManager();
  const { num_pending, num_ack_pending } = await manager.consumers.info(eventStream.name, 'test');
  return num_pending + num_ack_pending;
};

test('processes with the same name share the events, and handle each event of their types once', async () => {
  const handled: string[] = [];
  const handle = async ({ id }: { id: string }) => void handled.push(id);
  consume(handle);
  consume(handle);
  const ids = await Promise.all(Array.from({ length: 50 }, () => publish()));
  await publish('messaging.lead.opted_in');
  await until(() => handled.length >= 50, 'all events');
  await waitFor(async () => (await pending()) === 0, { description: 'the acknowledgements' });
  expect(handled.toSorted()).toEqual(ids.toSorted());
});

test('events that were published before the first start are handled too', async () => {
  const id = await publish();
  const handled: string[] = [];
  consume(async (event) => void handled.push(event.id));
  await until(() => handled.length === 1, 'the event');
  expect(handled).toEqual([id]);
});

test('an event whose handler failed is delivered again, and delays no other', async () => {
  const handled: string[] = [];
  let failures = 0;
  const faulty = await publish();
  consume(async ({ id }) => {
    if (id === faulty && failures < 2) {
      failures += 1;
      throw new Error('not yet');
    }
    handled.push(id);
  });
  const other = await publish();
  await until(() => handled.length === 2, 'both events');
  expect(handled).toEqual([other, faulty]);
  expect(failures).toBe(2);
});

test('an event that always fails is dropped after its last delivery, an invalid one at once', async () => {
  let deliveries = 0;
  consume(async () => {
    deliveries += 1;
    throw new Error('never');
  }, 2);
  await publish();
  await publish('messaging.lead.opted_out', { lead_id: 'nobody' });
  await until(() => deliveries === 2, 'the last delivery');
  await waitFor(async () => (await pending()) === 0, { description: 'both to be dropped' });
  expect(deliveries).toBe(2);
});

test('the consumer survives a restart of NATS', async () => {
  const handled: string[] = [];
  consume(async ({ id }) => void handled.push(id));
  const first = await publish();
  await until(() => handled.length === 1, 'the first event');
  await server.stopServer();
  await waitFor(() => !isConnected(server.nats), { description: 'the loss' });
  await server.startServer();
  const second = await publish();
  await until(() => handled.includes(second), 'an event after the restart');
  expect(new Set(handled)).toEqual(new Set([first, second]));
});

test('a lost stream is created again, and its events are handled', async () => {
  const handled: string[] = [];
  consume(async ({ id }) => void handled.push(id));
  await publish();
  await until(() => handled.length === 1, 'the first event');
  const manager = await server.nats.jetstreamManager();
  await manager.streams.delete(eventStream.name);
  const second = await publish();
  await until(() => handled.includes(second), 'an event of the new stream');
});

test('stop waits for running handlers, and later events stay for the next process', async () => {
  const finishing = Promise.withResolvers<void>();
  const handled: string[] = [];
  let begun = 0;
  const consumer = consume(async ({ id }) => {
    begun += 1;
    await finishing.promise;
    handled.push(id);
  });
  await publish();
  await until(() => begun === 1, 'the handler');
  let stopped = false;
  const stopping = consumer.stop().then(() => {
    stopped = true;
  });
  const later = await publish();
  expect(stopped).toBe(false);
  finishing.resolve();
  await stopping;
  expect(handled).toHaveLength(1);
  await waitFor(async () => (await pending()) === 1, { description: 'the first to be acknowledged' });
  consume(async ({ id }) => void handled.push(id));
  await until(() => handled.length === 2, 'the later event');
  expect(handled[1]).toBe(later);
});

const settingsOf = async () => {
  const manager = await server.nats.jetstreamManager();
  return (await manager.consumers.info(eventStream.name, 'test')).config;
};

test.each([
  ['filter_subjects', ['events.messaging.lead.opted_in']],
  ['ack_wait', nanos(11_000)],
  ['max_deliver', 7],
])('a consumer whose %s an earlier version set differently gets the new setting, and its events', async (name, old) => {
  const manager = await server.nats.jetstreamManager();
  await manager.consumers.add(eventStream.name, {
    durable_name: 'test',
    filter_subjects: ['events.messaging.lead.opted_out'],
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(30_000),
    max_deliver: 20,
    [name]: old,
  });
  const handled: string[] = [];
  consume(async ({ id }) => void handled.push(id));
  await waitFor(async () => (await settingsOf()).max_deliver === 20, { description: 'the consumer is changed' });
  const id = await publish();
  await until(() => handled.includes(id), 'the event');
  expect(await settingsOf()).toMatchObject({
    filter_subjects: ['events.messaging.lead.opted_out'],
    ack_wait: nanos(30_000),
    max_deliver: 20,
  });
});

test('a previous version beside the new one changes no setting back, and its processes drop none of the new events', async () => {
  const handled: string[] = [];
  const handle = async ({ id }: { id: string }) => void handled.push(id);
  const types = ['messaging.lead.opted_out', 'messaging.lead.opted_in'] as const;
  consumeWith({ types, handle, revision: 2 });
  await waitFor(settingsOf, { description: 'the new version has created the consumer' });
  const previous = consume(handle);
  const ids = await Promise.all(Array.from({ length: 40 }, (_, index) => publish(types[index % 2])));
  await until(() => handled.length >= 20, 'the first events');
  // As at the end of a rollout. Until then, an event may meet the previous version again, and wait longer each time.
  await previous.stop();
  await until(() => handled.length >= 40, 'all events');
  expect(handled.toSorted()).toEqual(ids.toSorted());
  expect((await settingsOf()).filter_subjects).toEqual(types.map(eventSubject));
});
