import type { Session } from '@mostrador/contracts';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

/** A session's row. */
export type SessionRow = {
  readonly id: string;
  readonly lead_id: string;
  readonly status: Session['status'];
  readonly started_at: Date;
  readonly ended_at: Date | null;
};

export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    lead_id: row.lead_id,
    status: row.status,
    started_at: toTimestamp(row.started_at),
    ended_at: row.ended_at && toTimestamp(row.ended_at),
  };
}

/** The entries of the event of a session that began or ended. */
export function sessionEvents(what: 'started' | 'ended', row: SessionRow): OutboxEntry[] {
  const data = { session_id: row.id, lead_id: row.lead_id };
  return [
    { kind: 'event', type: `messaging.session.${what}`, data },
    { kind: 'feed', type: `session.${what}`, entityId: row.id, etag: null, data, object: toSession(row) },
  ];
}
