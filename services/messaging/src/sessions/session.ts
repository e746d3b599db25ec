import type { Session } from '@mostrador/contracts';
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
