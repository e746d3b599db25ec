import { setTimeout as pause } from 'node:timers/promises';
import {
  type DomainEvent,
  type EventType,
  eventCatalogue,
  eventStream,
  eventSubject,
} from '@mostrador/contracts/events';
import {
  AckPolicy,
  type Consumer,
  type ConsumerInfo,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  nanos,
} from 'nats';
import type { Log } from '../process/log.ts';
import type { Periodic } from '../process/periodic.ts';
import { ensureEventStream, isConnected, type NatsConnection, unlessMissing } from '../rpc/nats.ts';
import { compile } from '../schema/compile.ts';

/** An event of one of these types. `type` decides the type of `data`. */
export type EventOf<T extends EventType> = T extends EventType ? DomainEvent<T> : never;

export type EventsConsumerOptions<T extends EventType> = {
  readonly nats: NatsConnection;
  readonly log: Log;
  /** The durable name: all processes that use it share the events. No dots or spaces. */
  readonly name: string;
  readonly types: readonly T[];
  /**
   * Raise it with every change of `types` or `mostDeliveries`. While two versions run side by side, the consumer keeps
   * the settings of the greater revision. Default 1.
   */
  readonly revision?: number;
  /** `deadline` in epoch ms. After an error the event is delivered again, with exponential backoff up to 60 s. */
  readonly handle: (event: EventOf<T>, context: { readonly deadline: number }) => Promise<void>;
  /** The consumer drops an event after this many deliveries. Default 20, about a quarter of an hour. */
  readonly mostDeliveries?: number;
};

const atOnce = 16;
const fetchMs = 5_000;
const handleMs = 20_000;
/** Longer than a handler may take. When a process dies, its events are delivered again after this time. */
const ackWaitMs = 30_000;
const pauseMs = 500;
/** JetStream's error code (https://github.com/nats-io/nats-server/blob/main/server/errors.json). */
const consumerNotFound = 10_014;
/** The member of the consumer's metadata that holds its revision. */
const revisionKey = 'mostrador.revision';

/**
 * Handles domain events: each at least once, in no guaranteed order, while the stream keeps it. Waits while NATS is
 * down, creates a lost stream or consumer again, and changes a consumer of an earlier version to its settings. An event
 * that does not match the catalogue, or that fails on every delivery, is logged by its id and dropped: correctness never
 * depends on an event. `stop` waits for running handlers.
 */
export function consumeEvents<const T extends EventType>(options: EventsConsumerOptions<T>): Periodic {
  const { nats, name, types, revision = 1, handle, mostDeliveries = 20 } = options;
  const log = options.log.child({ consumer: name });
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let messages: ConsumerMessages | undefined;
  let loop: Promise<void> | undefined;

  const open = async (): Promise<Consumer> => {
    await ensureEventStream(nats);
    const manager = await nats.jetstreamManager();
    const settings = {
      filter_subjects: types.map(eventSubject),
      ack_wait: nanos(ackWaitMs),
      max_deliver: mostDeliveries,
      metadata: { [revisionKey]: String(revision) },
    };
    const existing = await consumerOf(manager, name);
    if (!existing) {
      await manager.consumers.add(eventStream.name, {
        ...settings,
        durable_name: name,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
      });
    } else if (Number(existing.config.metadata?.[revisionKey] ?? 0) <= revision) {
      await manager.consumers.update(eventStream.name, name, settings);
    }
    return await nats.jetstream().consumers.get(eventStream.name, name);
  };

  const take = (message: JsMsg) => {
    const work = receive(message).finally(() => running.delete(work));
    running.add(work);
  };

  /** Never throws: JetStream delivers an event again when it is neither acknowledged nor terminated. */
  const receive = async (message: JsMsg): Promise<void> => {
    let id: string | undefined;
    try {
      // A newer version beside this one has widened the filter, and its processes handle the event.
      if (!types.some((type) => eventSubject(type) === message.subject)) throw new Error('not a type of this version');
      const event = readEvent(message, types);
      if (!event) {
        log.error({ stream_sequence: message.seq }, 'an event that does not match the catalogue was dropped');
        message.term();
        return;
      }
      id = event.id;
      await handle(event, { deadline: Date.now() + handleMs });
      message.ack();
    } catch (error) {
      const { deliveryCount } = message.info;
      const last = deliveryCount >= mostDeliveries;
      if (last) log.error({ err: error, event: id, deliveries: deliveryCount }, 'an event failed and was dropped');
      else log.warn({ err: error, event: id, deliveries: deliveryCount }, 'an event failed, a retry follows');
      if (nats.isClosed()) return;
      if (last) message.term();
      else message.nak(Math.min(60_000, 500 * 2 ** deliveryCount));
    }
  };

  const consume = async () => {
    let consumer: Consumer | undefined;
    let complained = false;
    let failures = 0;
    while (!signal.aborted && !nats.isClosed()) {
      try {
        if (!isConnected(nats)) throw new Error('not connected to NATS');
        consumer ??= await open();
        if (running.size >= atOnce) await Promise.race(running);
        if (signal.aborted) return;
        messages = await consumer.fetch({ max_messages: atOnce - running.size, expires: fetchMs });
        if (signal.aborted) messages.stop();
        let taken = 0;
        for await (const message of messages) {
          take(message);
          taken += 1;
        }
        // No message: none is waiting, or the consumer is lost. The fetch does not always report a lost consumer.
        if (taken === 0 && !signal.aborted) await consumer.info();
        complained = false;
        failures = 0;
      } catch (error) {
        consumer = undefined;
        if (signal.aborted) return;
        // A lost connection is the warning of its check. It ends the first fetch before it is known.
        failures += 1;
        if (failures >= 2 && !complained && isConnected(nats)) {
          log.warn({ err: error }, 'the event stream is not available: look at JetStream; its notices wait');
          complained = true;
        }
        // It rejects when the signal is aborted.
        await pause(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  };

  return {
    start() {
      loop ??= consume();
    },
    async stop() {
      stopping.abort();
      messages?.stop();
      await loop;
      await Promise.all(running);
      // The acknowledgements must leave before the connection closes.
      if (isConnected(nats)) await nats.flush().catch(() => {});
    },
  };
}

const consumerOf = (manager: JetStreamManager, name: string): Promise<ConsumerInfo | null> =>
  unlessMissing(manager.consumers.info(eventStream.name, name), consumerNotFound);

/** Null when the message is not an event of these types, or does not match the catalogue. */
function readEvent<T extends EventType>(message: JsMsg, types: readonly T[]): EventOf<T> | null {
  try {
    const event = message.json<EventOf<T>>();
    const type = types.find((known) => known === event.type);
    if (!type || typeof event.id !== 'string' || typeof event.store_id !== 'string') return null;
    return compile(eventCatalogue[type].data)(event.data).length === 0 ? event : null;
  } catch {
    return null;
  }
}
