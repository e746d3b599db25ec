import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  Described,
  Done,
  Exact,
  Nullable,
  NullablePhone,
  NullableString,
  NullableTimestamp,
  NullableUuid,
  OneOf,
  Page,
  paging,
  Several,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { AiPauser, LeadSearchText, LeadStatus, leadStatuses, SellerFilter } from '../crm/leads.ts';
import { ConversationHolder } from './conversations.ts';
import { MessageTypeWord } from './message-content.ts';
import { leadParams, MessageDirection, MessageSource, MessageStatusWord } from './messages.ts';

/** The list shows at most this many characters of a message. */
export const maxPreviewLength = 200;

/** A filter that is either left out or `true`. */
const Only = (description: string) => Type.Optional(Type.Literal(true, { description }));

const UnreadCount = Type.Integer({
  description: 'How many messages of the lead came after the last message that the store has read.',
});

/** A conversation as the inbox lists it. */
export const InboxConversation = Type.Object(
  {
    lead: Type.Object(
      {
        id: About(Uuid, 'The id of the lead.'),
        name: Type.String({ description: 'The name of the lead.' }),
        customer_phone: NullablePhone,
        channel_user_id: Type.Optional(About(NullableString, 'The channel’s own id, as in the lead.')),
        username: Type.Optional(About(NullableString, 'The customer’s username on the channel, without `@`.')),
        status: LeadStatus,
        seller_id: About(NullableUuid, 'The seller in charge of the lead. Null: the lead has no seller.'),
        ai_paused_until: {
          ...NullableTimestamp,
          description: 'The AI is paused until this moment. Null when it is not paused.',
        },
        ai_paused_by: Type.Optional(
          Nullable(AiPauser, {
            description: 'Who paused it, by a request or by a message. Null when it is not paused, or not known.',
          }),
        ),
      },
      { title: 'InboxLead', description: 'The lead, as it was a moment ago.' },
    ),
    last_message: Type.Object(
      {
        id: About(Uuid, 'The id of the message.'),
        direction: MessageDirection,
        source: MessageSource,
        body: Type.String({ description: `The first ${maxPreviewLength} characters of the text.` }),
        type: Type.Optional(MessageTypeWord),
        status: MessageStatusWord,
        created_at: About(Timestamp, 'When it was accepted or received.'),
        revoked_at: Type.Optional({
          ...NullableTimestamp,
          description: 'When its writer deleted it. Null: not deleted.',
        }),
        voice: Type.Optional(Type.Boolean({ description: 'Whether it is a voice note, recorded in the chat.' })),
      },
      { title: 'LastMessage', description: 'The last message in either direction.' },
    ),
    unread_count: UnreadCount,
    unanswered: Type.Boolean({
      description:
        'Whether the lead waits for an answer. A message to the lead is one, and so is the close of the session by a request.',
    }),
    waiting_since: {
      ...NullableTimestamp,
      description: 'When the lead wrote the first message that has had no answer since. Null: the lead does not wait.',
    },
    needs_attention: Type.Boolean({
      description: 'Whether the last message to the lead failed, or its outcome is unknown.',
    }),
    opted_out_at: { ...NullableTimestamp, description: 'When the lead opted out. Null: it has not.' },
    held_by: Type.Optional(ConversationHolder),
    window_open: Type.Boolean({
      description: 'Whether the channel accepts free text to the lead now. Without a channel false.',
    }),
    window_expires_at: {
      ...NullableTimestamp,
      description: 'Until when the channel accepts free text; null when it never or always does.',
    },
    last_activity_at: About(Timestamp, 'When the last message was accepted or received.'),
  },
  { title: 'InboxConversation', description: 'A conversation as the inbox lists it.' },
);
export type InboxConversation = Static<typeof InboxConversation>;

export const conversationSorts = ['-last_activity_at', 'waiting_since'] as const;
export type ConversationSort = (typeof conversationSorts)[number];
const ConversationSortWord = OneOf(conversationSorts, {
  title: 'ConversationSort',
  description: '`-last_activity_at`: the latest activity first. `waiting_since`: who has waited longest first.',
});

export const listConversations = defineOperation({
  subject: 'messaging.platform.conversations.list',
  http: { method: 'GET', path: '/conversations' },
  access: { role: 'seller' },
  summary: 'List conversations',
  description:
    'Only leads with a message have a conversation. Ties break by lead id, in the direction of the sort. By default a ' +
    'conversation in which something happens moves to the front, so a later page may miss it. With ' +
    '`sort=waiting_since` the list has only unanswered conversations: one is at the end when its lead begins to wait, ' +
    'stays in its place while the lead writes more, and leaves the list with an answer, or when a request closes the ' +
    'session. A message that is cancelled is no answer, nor is a session that ends by itself. A change of the lead itself shows a moment later. With `q`, at most ' +
    '1,000 leads are found. A seller sees the conversations of their own leads, and of leads without a seller.',
  request: {
    query: Exact({
      status: Type.Optional(
        Several(LeadStatus, leadStatuses.join('|'), {
          maxLength: 200,
          description: `The status of the lead: one or several of ${leadStatuses.join(', ')}, separated by commas.`,
        }),
      ),
      seller_id: Type.Optional(
        SellerFilter('The id (a UUID) of the responsible seller, or `none` for leads without a seller.'),
      ),
      unread: Only('Only conversations with unread messages.'),
      ai_paused: Only('Only leads for whom the AI is paused now.'),
      unanswered: Only('Only conversations whose lead waits for an answer.'),
      needs_attention: Only('Only conversations whose last message to the lead failed, or whose outcome is unknown.'),
      q: Type.Optional(
        LeadSearchText(
          'Leads that have each of these words in their name, phone, email, external id or tags, as in the list of leads.',
        ),
      ),
      sort: Type.Optional(
        Described(ConversationSortWord, { default: '-last_activity_at', description: 'The order of the list.' }),
      ),
      ...paging(),
    }),
  },
  reply: Page(InboxConversation),
});

/** The read state belongs to the store: what one person has read, all have. */
export const markConversationRead = defineOperation({
  subject: 'messaging.platform.conversations.mark-read',
  http: { method: 'PUT', path: '/leads/:leadId/read' },
  access: { role: 'seller', audited: false },
  summary: 'Mark a conversation as read up to a message',
  description:
    'All messages up to this one count as read, for all people of the store. Read messages stay read. A message that a ' +
    'seller sends does the same for all messages before it.',
  request: {
    params: leadParams,
    body: Exact(
      { message_id: About(Uuid, 'The last message that was read.') },
      { description: 'The place up to which it was read.' },
    ),
  },
  reply: Type.Object({ unread_count: UnreadCount }, { description: 'The messages that are left to read.' }),
  errors: ['lead_not_found', 'message_not_found'],
});

/**
 * Tells what a lead is now, before the event `crm.lead.updated` does. From the answer on a pause of the AI holds. Safe to
 * repeat and in any order: `version` is the lead's.
 */
export const followLead = defineOperation({
  subject: 'messaging.internal.conversations.follow-lead',
  summary: 'Store what a conversation shows of its lead',
  request: {
    body: Exact({
      lead_id: Uuid,
      version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
      name: Type.String(),
      customer_phone: NullablePhone,
      channel_user_id: Type.Optional(NullableString),
      username: Type.Optional(NullableString),
      status: LeadStatus,
      seller_id: NullableUuid,
      ai_paused_until: NullableTimestamp,
      ai_paused_by: Type.Optional(Nullable(AiPauser)),
      /** The last pause of messaging that crm knew with this. */
      ai_pause_version: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
    }),
  },
  reply: Done,
});
