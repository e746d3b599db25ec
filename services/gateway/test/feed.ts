import { randomUUID } from 'node:crypto';
import { type Event, feedNoticeSubject, getEvent, listEvents } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { TestGateway } from './gateway.ts';

/** Stands for the service `events`, with one feed in memory for all stores. */
export async function serveFeed(gateway: TestGateway) {
  const events: Event[] = [];
  const state = { base: 0, oldest: 1, isDown: false };
  const last = () => state.base + events.length;
  /** The queries of the pages that were read. */
  const asked: { after?: number; wait?: number; limit?: number }[] = [];
  await gateway.serve(
    'events',
    { listEvents, getEvent },
    {
      listEvents: async (_, { query }) => {
        asked.push(query);
        if (state.isDown) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
        const { after = 0, limit = 50, types, entity_id } = query;
        if (after > last() || (after > 0 && after < state.oldest - 1)) throw new AppError('cursor_expired');
        const start = after === -1 ? last() : Math.max(after, state.oldest - 1);
        const data = events
          .filter(({ sequence }) => sequence > start)
          .filter(({ type }) => !types || types.split(',').includes(type))
          .filter(({ entity }) => !entity_id || entity.id === entity_id)
          .slice(0, limit);
        return { data, next: data.length === limit ? (data.at(-1)?.sequence ?? start) : last() };
      },
      getEvent: async (_, { params }) => {
        const found = events.find(({ id }) => id === params.eventId);
        if (!found) throw new AppError('event_not_found');
        return found;
      },
    },
  );
  return {
    events,
    state,
    asked,
    /** Restarts the feed after this number, as the fence of a restore does. */
    restart(base: number): void {
      events.length = 0;
      Object.assign(state, { base, oldest: base + 1 });
    },
    /** Appends an event. `quietly`: the notice is lost. */
    append(storeId: string, type = 'lead.updated', options: { quietly?: boolean; text?: string } = {}): Event {
      const sequence = last() + 1;
      const event = {
        id: randomUUID(),
        type,
        created_at: new Date().toISOString(),
        sequence,
        store_id: storeId,
        entity: { type: 'lead', id: randomUUID(), version: sequence, etag: '"v1.0"' },
        actor: null,
        request_id: null,
        previous: null,
        data: { lead_id: randomUUID(), text: options.text ?? '' },
      };
      events.push(event);
      if (!options.quietly) gateway.nats.nats.publish(feedNoticeSubject, JSON.stringify({ [storeId]: sequence }));
      return event;
    },
  };
}

export type TestFeed = Awaited<ReturnType<typeof serveFeed>>;
