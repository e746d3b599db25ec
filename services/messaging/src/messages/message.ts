import type { acceptMessage, Message, MessageStatus, ReplyOf, RequestOf, sendMessage } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

export type Template = NonNullable<RequestOf<typeof acceptMessage>['body']['template']>;

/** A message as its row holds it, but for what concerns the sending of it alone. */
export type MessageRow = {
  readonly id: string;
  readonly lead_id: string;
  readonly session_id: string;
  /** The order of acceptance within the conversation. */
  readonly number: number;
  readonly channel_id: string | null;
  readonly direction: Message['direction'];
  readonly source: Message['source'];
  readonly kind: string;
  readonly body: string;
  readonly template: Template | null;
  readonly provider_message_id: string | null;
  readonly created_at: Date;
} & MessageState;

/** What becomes of a message. */
export type MessageState = {
  readonly status: MessageStatus;
  readonly error_code: string | null;
  readonly error_detail: string | null;
  readonly sent_at: Date | null;
  readonly delivered_at: Date | null;
  readonly read_at: Date | null;
};

/** What the channel says of a message. */
export type StatusUpdate = {
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly at: Date;
  /** Of `failed`. */
  readonly error?: { readonly code: string; readonly detail: string };
};

/**
 * How far a message has come. `failed` stands before `delivered`, which is proof: a message that was given up, or that a
 * person settled as failed, may turn out to have arrived.
 */
const ranks: Record<MessageStatus, number> = {
  received: 0,
  queued: 0,
  sending: 1,
  unknown: 2,
  sent: 3,
  failed: 4,
  delivered: 5,
  read: 6,
};

/** Whether a message of status `from` may take the status `to` from a report. */
export const isForward = (from: MessageStatus, to: MessageStatus): boolean =>
  from !== 'received' && ranks[to] > ranks[from];

/** Whether the channel has taken the message. */
const isSent = (status: MessageStatus): boolean => status === 'sent' || status === 'delivered' || status === 'read';

/** Whether whoever waits for the outcome has to wait no longer. */
export const isSettled = (status: MessageStatus): boolean => isSent(status) || status === 'failed';

/**
 * The state after a report, or null when it changes nothing. Reports come late, repeated and in any order: the status is
 * the same whatever their order was, it never goes back, and a report that comes late still fills in its time. A later
 * stage implies the earlier ones.
 */
export function mergeStatusUpdate(
  message: MessageState & { readonly created_at: Date },
  report: StatusUpdate,
): MessageState | null {
  if (message.status === 'received') return null;
  const { created_at, status, error_code, error_detail, sent_at, delivered_at, read_at } = message;
  const before: MessageState = { status, error_code, error_detail, sent_at, delivered_at, read_at };
  const stage = report.status === 'failed' ? 0 : ranks[report.status];
  // A provider counts in whole seconds: nothing happens to a message before it was there.
  const at = latest(report.at, sent_at ?? created_at);
  const after: MessageState = {
    ...before,
    sent_at: stage >= ranks.sent ? (sent_at ?? at) : sent_at,
    delivered_at: stage >= ranks.delivered ? earliest(delivered_at, at) : delivered_at,
    read_at: stage >= ranks.read ? earliest(read_at, at) : read_at,
    ...(isForward(status, report.status) ? { status: report.status, ...errorOf(report) } : {}),
  };
  return sameState(before, after) ? null : after;
}

function errorOf({ status, error }: StatusUpdate): Pick<MessageState, 'error_code' | 'error_detail'> {
  if (status !== 'failed') return { error_code: null, error_detail: null };
  return { error_code: error?.code ?? 'unspecified', error_detail: error?.detail ?? 'The channel gave no reason.' };
}

const latest = (one: Date, other: Date): Date => (one > other ? one : other);
const earliest = (one: Date | null, other: Date): Date => (one && one < other ? one : other);

const sameState = (one: MessageState, other: MessageState): boolean =>
  one.status === other.status &&
  one.error_code === other.error_code &&
  one.sent_at?.getTime() === other.sent_at?.getTime() &&
  one.delivered_at?.getTime() === other.delivered_at?.getTime() &&
  one.read_at?.getTime() === other.read_at?.getTime();

/** A message as the API shows it. */
export function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    lead_id: row.lead_id,
    session_id: row.session_id,
    direction: row.direction,
    source: row.source,
    body: row.body,
    status: row.status,
    error: toMessageError(row),
    provider_message_id: row.provider_message_id,
    created_at: toTimestamp(row.created_at),
    sent_at: row.sent_at && toTimestamp(row.sent_at),
    delivered_at: row.delivered_at && toTimestamp(row.delivered_at),
    read_at: row.read_at && toTimestamp(row.read_at),
  };
}

type Outcome = Pick<MessageRow, 'id' | 'status' | 'error_code' | 'error_detail'>;

/** What the sender of a message is told. */
export const toSendResult = (row: Outcome): ReplyOf<typeof sendMessage> => ({
  sent: isSent(row.status),
  id: row.id,
  status: row.status,
  error: toMessageError(row),
});

/** Why it failed. What went wrong with an attempt that is followed by another is for operators. */
export const toMessageError = ({ status, error_code, error_detail }: Outcome): Message['error'] =>
  status === 'failed' ? { code: error_code ?? 'unspecified', detail: error_detail ?? '' } : null;
