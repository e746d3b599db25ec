import {
  type acceptMessage,
  type Message,
  type MessageAuthor,
  type MessageContent,
  type MessageMedia,
  type MessagePricing,
  type MessageReaction,
  type MessageStatus,
  messageTypeOf,
  type ReplyOf,
  type RequestOf,
  type sendMessage,
} from '@mostrador/contracts';
import type { Metadata } from '@mostrador/kit/database/metadata';
import { toWaitReason, type WaitColumns } from '@mostrador/kit/resilience/wait-reason';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { StatusUpdate } from '../channels/channel-provider.ts';

export type Template = NonNullable<RequestOf<typeof acceptMessage>['body']['template']>;

/** A message's row, without the columns that only delivery uses. */
export type MessageRow = {
  readonly id: string;
  readonly lead_id: string;
  readonly session_id: string;
  /** The order of acceptance within the conversation. */
  readonly number: number;
  readonly channel_id: string | null;
  readonly direction: Message['direction'];
  readonly source: Message['source'];
  /** Who of the store wrote it. Null: the lead, a follow-up, or not known. */
  readonly author: MessageAuthor | null;
  readonly kind: string;
  readonly body: string;
  /** `body` is only the beginning of what the lead wrote. */
  readonly body_truncated: boolean;
  readonly template: Template | null;
  readonly content: MessageContent | null;
  readonly media: MessageMedia | null;
  readonly reply_to_id: string | null;
  readonly provider_message_id: string | null;
  readonly metadata: Metadata;
  /** What the provider bills for it. */
  readonly pricing: MessagePricing | null;
  /** What it takes of its month's budget while its price is not known, in millionths. Null: accepted without a budget. */
  readonly budget_micros: number | null;
  readonly reactions: readonly MessageReaction[];
  /** It is from before the number was connected. */
  readonly from_history: boolean;
  readonly edited_at: Date | null;
  readonly revoked_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
} & MessageState;

/** Why the head of the lead's queue waits for its provider. The messages behind it wait for the same reason. */
export type MessageWait = WaitColumns & { readonly next_attempt_at: Date | null };

/** The state of a message: its status, its error and its times. */
export type MessageState = {
  readonly status: MessageStatus;
  readonly error_code: string | null;
  readonly error_detail: string | null;
  readonly sent_at: Date | null;
  readonly delivered_at: Date | null;
  readonly read_at: Date | null;
};

/** The columns that change with the state of a message. */
export type SavedState = MessageState & Pick<MessageRow, 'provider_message_id' | 'pricing'>;

/**
 * The order of statuses. `cancelled` is before `sent`, because a status update proves that the message was sent after
 * all. `failed` is before `delivered`, because `delivered` is proof: a message that was given up, or that an operator
 * settled as failed, may still have arrived.
 */
const ranks: Record<MessageStatus, number> = {
  received: 0,
  queued: 0,
  sending: 1,
  unknown: 2,
  cancelled: 3,
  sent: 4,
  failed: 5,
  delivered: 6,
  read: 7,
};

/** Whether a status update may move a message from one status to another. */
export const isForward = (from: MessageStatus, to: MessageStatus): boolean =>
  from !== 'received' && ranks[to] > ranks[from];

/** Whether the channel told of a message to the lead that Mostrador did not send. */
export const isEcho = ({ author }: Pick<MessageRow, 'author'>): boolean =>
  author?.kind === 'phone' || (author?.kind === 'agent' && author.id === null);

/** Whether the provider has accepted the message. */
export const isSent = (status: MessageStatus): boolean =>
  status === 'sent' || status === 'delivered' || status === 'read';

/** Whether the outcome is known, so that a request need not wait any longer. */
export const isSettled = (status: MessageStatus): boolean =>
  isSent(status) || status === 'failed' || status === 'cancelled';

/**
 * The state after a status update, or null when it changes nothing. Updates come late, repeated and in any order. The
 * final status does not depend on their order and never goes back. A late update still fills in its time. A later
 * status implies the earlier ones: `read` also sets `delivered_at` and `sent_at`.
 */
export function mergeStatusUpdate(
  message: MessageState & { readonly created_at: Date },
  report: StatusUpdate,
): MessageState | null {
  if (message.status === 'received') return null;
  const { created_at, status, error_code, error_detail, sent_at, delivered_at, read_at } = message;
  const before: MessageState = { status, error_code, error_detail, sent_at, delivered_at, read_at };
  const stage = report.status === 'failed' ? 0 : ranks[report.status];
  // A provider's times are whole seconds, so they can be earlier than the message itself.
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
  return { error_code: error?.code ?? 'unspecified', error_detail: error?.detail ?? 'The provider gave no reason.' };
}

const latest = (one: Date, other: Date): Date => (one > other ? one : other);
const earliest = (one: Date | null, other: Date): Date => (one && one < other ? one : other);

const sameState = (one: MessageState, other: MessageState): boolean =>
  one.status === other.status &&
  one.error_code === other.error_code &&
  one.sent_at?.getTime() === other.sent_at?.getTime() &&
  one.delivered_at?.getTime() === other.delivered_at?.getTime() &&
  one.read_at?.getTime() === other.read_at?.getTime();

/** What the provider bills, as the last update in the order of statuses says it. */
export const pricingOf = (
  { pricing }: Pick<MessageRow, 'pricing'>,
  reports: readonly StatusUpdate[],
): MessagePricing | null =>
  reports.toSorted((one, other) => ranks[one.status] - ranks[other.status]).findLast((one) => one.pricing)?.pricing ??
  pricing;

/** Prices that were stored before there were rates have no amount. */
const completePricing = (pricing: MessagePricing): MessagePricing => ({
  ...pricing,
  amount: pricing.amount ?? null,
  currency: pricing.currency ?? null,
});

export function toMessage(row: MessageRow & Partial<MessageWait>): Message {
  const { wait_reason = null, wait_since = null, next_attempt_at = null } = row.status === 'queued' ? row : {};
  const reason = toWaitReason({ wait_reason, wait_since });
  return {
    id: row.id,
    lead_id: row.lead_id,
    session_id: row.session_id,
    direction: row.direction,
    source: row.source,
    author: row.author,
    body: row.body,
    body_truncated: row.body_truncated,
    type: messageTypeOf(row.kind),
    media: row.media,
    content: row.content,
    // A follow-up that was sent as text had a template for a closed window.
    template:
      row.kind === 'template' && row.template ? { name: row.template.name, language: row.template.language } : null,
    from_history: row.from_history,
    reply_to_id: row.reply_to_id,
    status: row.status,
    error: toMessageError(row),
    reason,
    next_attempt_at: reason && next_attempt_at && toTimestamp(next_attempt_at),
    provider_message_id: row.provider_message_id,
    metadata: row.metadata,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
    sent_at: row.sent_at && toTimestamp(row.sent_at),
    delivered_at: row.delivered_at && toTimestamp(row.delivered_at),
    read_at: row.read_at && toTimestamp(row.read_at),
    pricing: row.pricing && completePricing(row.pricing),
    reactions: [...row.reactions],
    edited_at: row.edited_at && toTimestamp(row.edited_at),
    revoked_at: row.revoked_at && toTimestamp(row.revoked_at),
  };
}

/** What the sender of a message gets to know. */
export type Outcome = Pick<MessageRow, 'id' | 'status' | 'error_code' | 'error_detail'>;

/** The answer to the sender of a message. */
export const toSendResult = (row: Outcome): ReplyOf<typeof sendMessage> => ({
  sent: isSent(row.status),
  id: row.id,
  status: row.status,
  error: toMessageError(row),
});

/**
 * Why a message failed, or that it was cancelled because it expired; else null. Only operators see the error of an attempt
 * that is retried.
 */
export function toMessageError({ status, error_code, error_detail }: Outcome): Message['error'] {
  if (status === 'failed') return { code: error_code ?? 'unspecified', detail: error_detail ?? '' };
  return status === 'cancelled' && error_code !== null ? { code: error_code, detail: error_detail ?? '' } : null;
}
