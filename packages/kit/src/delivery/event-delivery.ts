import { type DomainEvent, type EventType, eventStream, eventSubject } from '@mostrador/contracts/events';
import { ensureEventStream, isConnected, type NatsConnection } from '../clients/nats.ts';
import { AppError } from '../rpc/errors.ts';
import type { OutboxRow } from './outbox.repository.ts';

const PUBLISH_LIMIT_MS = 5000;

/**
 * Publishes an event and waits until the stream has it. The outbox id is the `Nats-Msg-Id`, so the stream keeps one of
 * what is published again.
 */
export function createEventPublisher(nats: NatsConnection): (row: OutboxRow) => Promise<void> {
  const stream = nats.jetstream({ timeout: PUBLISH_LIMIT_MS });
  return async (row) => {
    if (!isConnected(nats)) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
    const event = {
      id: row.id,
      type: row.topic as EventType,
      store_id: row.store_id,
      occurred_at: row.created_at.toISOString(),
      data: row.data,
    } as DomainEvent;
    try {
      await stream.publish(eventSubject(event.type), JSON.stringify(event), {
        msgID: row.id,
        expect: { streamName: eventStream.name },
      });
    } catch (cause) {
      // A server that lost its data has no stream: then the next attempt finds one.
      await ensureEventStream(nats).catch(() => {});
      throw new AppError('service_unavailable', { retryAfterSeconds: 1, cause });
    }
  };
}
