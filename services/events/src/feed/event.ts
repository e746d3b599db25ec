import type { Event } from '@mostrador/contracts';

export type EventRow = {
  readonly store_id: string;
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly entity_type: string;
  readonly entity_id: string;
  readonly entity_version: number;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
  // Null in an event of a version without them.
  readonly etag: string | null;
  readonly actor: Event['actor'];
  readonly request_id: string | null;
  readonly previous: Event['previous'];
};

/** The event as the API shows it. */
export const toEvent = (row: EventRow): Event => ({
  id: row.id,
  type: row.type,
  created_at: row.created_at.toISOString(),
  sequence: row.sequence,
  store_id: row.store_id,
  entity: { type: row.entity_type, id: row.entity_id, version: row.entity_version, etag: row.etag },
  actor: row.actor,
  request_id: row.request_id,
  previous: row.previous,
  data: row.data,
});

/** The event with ids and states alone, also of what changed. */
export function withoutContent({ data, previous, ...event }: Event): Event {
  const { object: _object, ...ids } = data;
  const isShown = ([name]: [string, unknown]) => Object.hasOwn(ids, name);
  return { ...event, previous: previous && Object.fromEntries(Object.entries(previous).filter(isShown)), data: ids };
}
