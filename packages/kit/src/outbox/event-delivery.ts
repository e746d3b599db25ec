import { type DomainEvent, type EventType, eventStream, eventSubject } from '@mostrador/contracts/events';
import { ErrorCode, type JetStreamClient, NatsError } from 'nats';
import { AppError } from '../rpc/errors.ts';
import { ensureEventStream, isConnected, type NatsConnection } from '../rpc/nats.ts';
import type { OutboxRow } from './outbox.repository.ts';
import { createOutboxDelivery, type OutboxDelivery, type SharedDeliveryOptions } from './outbox-delivery.ts';

const parallelPublishes = 64;
const publishLimitMs = 5000;
/** JetStream's error code (https://github.com/nats-io/nats-server/blob/main/server/errors.json). */
const messageSizeExceedsMaximum = 10_054;

/** Delivers outbox events to the JetStream stream of the domain events. */
export function createEventDelivery(
  options: SharedDeliveryOptions & { readonly nats: NatsConnection },
): OutboxDelivery {
  const { nats } = options;
  const stream = nats.jetstream({ timeout: publishLimitMs });
  return createOutboxDelivery({
    ...options,
    kind: 'event',
    parallel: parallelPublishes,
    sameAs: (row) => row.id,
    send: (row) => publish(nats, stream, row),
  });
}

/** Resolves when the stream has stored the event. The outbox id is the `Nats-Msg-Id`, so a second publish stores nothing. */
async function publish(nats: NatsConnection, stream: JetStreamClient, row: OutboxRow): Promise<void> {
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
    if (isRefusal(cause)) throw cause;
    // A server that lost its data has no stream. Create it for the next attempt, or say why that fails.
    const reason = await ensureEventStream(nats).then(
      () => cause,
      (error: unknown) => error,
    );
    throw new AppError('service_unavailable', { retryAfterSeconds: 1, cause: reason });
  }
}

/** The event itself is not accepted, and no retry changes that. Any other failure is one of the server or the stream. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  const { code, api_error: answer } = error;
  if (code === ErrorCode.MaxPayloadExceeded || code === ErrorCode.PermissionsViolation) return true;
  return answer?.err_code === messageSizeExceedsMaximum;
}
