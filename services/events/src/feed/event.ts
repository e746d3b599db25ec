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
};

/** The event as the API shows it. */
export const toEvent = (row: EventRow): Event => ({
  id: row.id,
  type: row.type,
  created_at: row.created_at.toISOString(),
  sequence: row.sequence,
  store_id: row.store_id,
  entity: { type: row.entity_type, id: row.entity_id, version: row.entity_version },
  data: row.data,
});
