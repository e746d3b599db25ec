import type { FeedIds } from '@mostrador/contracts';
import type { OutboxEntry, PublicEvent } from '@mostrador/kit/outbox/outbox';
import { type MessageRow, type MessageWait, toMessage } from './message.ts';

type Row = MessageRow & Partial<MessageWait>;
type Word = 'received' | 'queued' | 'unknown' | 'sent' | 'delivered' | 'read' | 'updated' | 'cancelled' | 'unsettled';
type Plain = `message.${Word}`;

const idsOf = ({ id, lead_id, session_id, source, status }: Row): FeedIds<Plain> => ({
  message_id: id,
  lead_id,
  session_id,
  source,
  status,
});

const shown = (row: Row) => ({ kind: 'feed', entityId: row.id, etag: null, object: toMessage(row) }) as const;
const fact = (type: Exclude<Plain, 'message.updated'>, row: Row): PublicEvent => ({
  ...shown(row),
  type,
  data: idsOf(row),
});

/** What the message was, without what its deletion took away: that is nowhere any more. */
const withoutDeleted = (before: Row, { revoked_at, body, body_truncated, content, media }: Row): Row =>
  revoked_at === null ? before : { ...before, body, body_truncated, content, media };

/** Creates the entries of message events from the saved row. */
export const messageEvents = {
  received: (row: Row, received_at: string, isOnStandby = false): OutboxEntry[] => {
    const { id: message_id, lead_id, session_id } = row;
    const data = { message_id, lead_id, session_id, received_at, ...(isOnStandby && { on_standby: true }) };
    return [{ kind: 'event', type: 'messaging.message.received', data }, fact('message.received', row)];
  },
  /** No service waits for this one, so it is only public. */
  queued: (row: Row): OutboxEntry[] => [fact('message.queued', row)],
  /** Nor for these. */
  unknown: (row: Row): OutboxEntry[] => [fact('message.unknown', row)],
  updated: (before: Row, row: Row): OutboxEntry[] => [
    { ...shown(row), type: 'message.updated', data: idsOf(row), before: toMessage(withoutDeleted(before, row)) },
  ],
  sent: (row: Row): OutboxEntry[] => {
    const { id: message_id, lead_id, source } = row;
    return [
      { kind: 'event', type: 'messaging.message.sent', data: { message_id, lead_id, source } },
      fact('message.sent', row),
    ];
  },
  arrived: (row: Row, status: 'delivered' | 'read'): OutboxEntry[] => {
    const { id: message_id, lead_id } = row;
    return [
      { kind: 'event', type: 'messaging.message.status_changed', data: { message_id, lead_id, status } },
      fact(`message.${status}`, row),
    ];
  },
  failed: (row: Row): OutboxEntry[] => {
    const { id: message_id, lead_id, source } = row;
    const code = row.error_code ?? 'unspecified';
    return [
      { kind: 'event', type: 'messaging.message.failed', data: { message_id, lead_id, source, code } },
      { ...shown(row), type: 'message.failed', data: { ...idsOf(row), code } },
    ];
  },
  cancelled: (row: Row): OutboxEntry[] => {
    const { id: message_id, lead_id, source } = row;
    return [
      { kind: 'event', type: 'messaging.message.cancelled', data: { message_id, lead_id, source } },
      fact('message.cancelled', row),
    ];
  },
  unsettled: (row: Row): OutboxEntry[] => {
    const { id: message_id, lead_id } = row;
    return [
      { kind: 'event', type: 'messaging.message.unsettled', data: { message_id, lead_id } },
      fact('message.unsettled', row),
    ];
  },
};
