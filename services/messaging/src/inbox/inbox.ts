import {
  type AiPauser,
  type ConversationSort,
  type InboxConversation,
  type LeadStatus,
  leadStatuses,
  type listConversations,
  type Message,
  messageTypeOf,
  noSeller,
  type RequestOf,
} from '@mostrador/contracts';
import { valuesOf } from '@mostrador/kit/database/filter-values';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { ListRows } from '@mostrador/totals';
import type { Static } from '@sinclair/typebox';
import type { ChannelRow } from '../channels/channel.repository.ts';
import { replyWindowMsOf } from '../channels/providers.ts';
import { type Holding, heldBy } from '../conversations/held-by.ts';
import { isWindowOpen, type WindowOpeners, windowExpiresAt } from '../conversations/reply-window.ts';

type Status = Static<typeof LeadStatus>;

/** A conversation with its lead and its last message. */
export type InboxRow = WindowOpeners &
  Holding & {
    /** The lead's. */
    readonly id: string;
    readonly lead_name: string;
    readonly lead_phone: string | null;
    readonly lead_user_id: string | null;
    readonly lead_username: string | null;
    readonly lead_status: Status;
    readonly seller_id: string | null;
    readonly ai_paused_until: Date | null;
    readonly ai_paused_by: AiPauser | null;
    readonly last_message_at: Date;
    /** The moment by which the list is ordered. */
    readonly ordered_at: Date;
    readonly opted_out_at: Date | null;
    readonly unread_count: number;
    readonly is_unanswered: boolean;
    readonly waiting_since: Date | null;
    readonly needs_attention: boolean;
    readonly message_id: string;
    readonly direction: Message['direction'];
    readonly source: Message['source'];
    readonly kind: string;
    /** Its beginning. */
    readonly body: string;
    readonly status: Message['status'];
    readonly created_at: Date;
    readonly revoked_at: Date | null;
    readonly voice: boolean;
  };

export type InboxFilters = {
  /** One of these; at least one. */
  readonly statuses?: readonly Status[];
  /** One or two of these; null: without a seller. None: no conversation matches. */
  readonly sellers?: readonly (string | null)[];
  readonly unread?: true;
  readonly unanswered?: true;
  readonly needs_attention?: true;
  /** Paused beyond this moment. */
  readonly paused_at?: Date;
  /** One of these. None: no conversation matches. */
  readonly lead_ids?: readonly string[];
};

type Query = RequestOf<typeof listConversations>['query'];

export const defaultSort: ConversationSort = '-last_activity_at';

/**
 * The filters of a request, without its search.
 *
 * @param limit the seller to whose leads, and those without a seller, the caller is limited
 */
export function filtersOf(query: Query, { limit, now }: { limit: string | undefined; now: Date }): InboxFilters {
  const { status, unread, needs_attention, ai_paused, sort } = query;
  // Only who waits has a place in the order by waiting.
  const unanswered = query.unanswered || sort === 'waiting_since';
  const statuses = valuesOf(status) as Set<Status>;
  const sellers = sellersOf(query, limit);
  return {
    ...(statuses.size > 0 && statuses.size < leadStatuses.length ? { statuses: [...statuses] } : {}),
    ...(sellers ? { sellers } : {}),
    ...(unread ? { unread } : {}),
    ...(unanswered ? { unanswered: true } : {}),
    ...(needs_attention ? { needs_attention } : {}),
    ...(ai_paused ? { paused_at: now } : {}),
  };
}

function sellersOf({ seller_id }: Query, limit: string | undefined): InboxFilters['sellers'] {
  const visible = limit === undefined ? undefined : [limit, null];
  if (seller_id === undefined) return visible;
  const asked = seller_id === noSeller ? null : seller_id.toLowerCase();
  return visible === undefined || visible.includes(asked) ? [asked] : [];
}

/** The rows of the list whose total is what these filters show. Undefined when one asks for more than a lead's status or seller. */
export function rowsOf({ statuses, sellers, ...others }: InboxFilters): ListRows<'conversations'> | undefined {
  if (Object.keys(others).length > 0) return undefined;
  return { list: 'conversations', ...(statuses ? { statuses } : {}), ...(sellers ? { owners: sellers } : {}) };
}

/** What a cursor is bound to. */
export const bindingOf = (
  { page: _, limit: __, cursor: ___, status, seller_id, sort, ...rest }: Query,
  visibleTo?: string,
) => ({
  ...rest,
  status: [...valuesOf(status)].join(),
  seller_id: seller_id?.toLowerCase(),
  visible_to: visibleTo,
  sort: sort ?? defaultSort,
});

/** Whether no conversation can match. */
export const isEmpty = ({ sellers, lead_ids }: InboxFilters): boolean =>
  sellers?.length === 0 || lead_ids?.length === 0;

/** A conversation as the inbox shows it at `now`. `channel`: the store's, if it has one. */
export const toInboxConversation =
  (channel: ChannelRow | undefined, now: Date) =>
  (row: InboxRow): InboxConversation => {
    const windowMs = channel ? replyWindowMsOf(channel) : null;
    const expiresAt = windowExpiresAt(windowMs, row);
    const isPaused = row.ai_paused_until !== null && row.ai_paused_until > now;
    return {
      lead: {
        id: row.id,
        name: row.lead_name,
        customer_phone: row.lead_phone,
        channel_user_id: row.lead_user_id,
        username: row.lead_username,
        status: row.lead_status,
        seller_id: row.seller_id,
        ai_paused_until: isPaused && row.ai_paused_until ? toTimestamp(row.ai_paused_until) : null,
        ai_paused_by: isPaused ? row.ai_paused_by : null,
      },
      last_message: {
        id: row.message_id,
        direction: row.direction,
        source: row.source,
        body: row.body,
        type: messageTypeOf(row.kind),
        status: row.status,
        created_at: toTimestamp(row.created_at),
        revoked_at: row.revoked_at && toTimestamp(row.revoked_at),
        voice: row.voice,
      },
      unread_count: row.unread_count,
      unanswered: row.is_unanswered,
      waiting_since: row.waiting_since && toTimestamp(row.waiting_since),
      needs_attention: row.needs_attention,
      opted_out_at: row.opted_out_at && toTimestamp(row.opted_out_at),
      held_by: heldBy(row),
      window_open: channel !== undefined && isWindowOpen(windowMs, row, now),
      window_expires_at: expiresAt && toTimestamp(expiresAt),
      last_activity_at: toTimestamp(row.last_message_at),
    };
  };
