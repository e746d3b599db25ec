import { type Static, Type } from '@sinclair/typebox';
import { About, Done, Exact, Nullable, NullableTimestamp, OneOf, Phone, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { LeadMerge } from '../crm/leads.ts';
import { leadParams } from './messages.ts';

export const optOutScopes = ['all', 'marketing'] as const;
export const OptOutScope = OneOf(optOutScopes, {
  title: 'OptOutScope',
  description:
    'What the lead wants to stop: `all` messages, or `marketing` messages. Mostrador cannot tell which message is ' +
    'marketing, so both stop the same messages. They end differently: what resumes marketing messages does not end `all`.',
});

/**
 * `stop_word`: a message that is only a stop word. `template_button`: a tap on a stop button of a template.
 * `channel_preference`: the lead's setting in the channel. `channel_error`: the channel refused a message for it.
 */
export const optOutSources = ['stop_word', 'template_button', 'channel_preference', 'channel_error'] as const;
export const OptOutSource = OneOf(optOutSources, {
  title: 'OptOutSource',
  description:
    'How the lead said so. `stop_word`: a message that is only a stop word. `template_button`: a stop button of a ' +
    'template. `channel_preference`: the setting in WhatsApp. `channel_error`: WhatsApp refused a message with 131050.',
});

export const OptOut = Type.Object(
  {
    scope: OptOutScope,
    source: OptOutSource,
    at: About(Timestamp, 'When the lead opted out.'),
  },
  { title: 'OptOut', description: 'What the lead does not want, and how it said so.' },
);
export type OptOut = Static<typeof OptOut>;

const WindowOpener = OneOf(['message', 'call'], {
  title: 'WindowOpener',
  description:
    'What a lead does that opens the reply window: it writes a `message`, or places a `call` over WhatsApp, answered or not.',
});

export const ConversationHolder = OneOf(['store', 'other'], {
  title: 'ConversationHolder',
  description:
    'Who answers the lead now: the `store`, or an `other` agent of the number, such as Meta Business Agent. A message of ' +
    'the store takes the conversation back.',
});

/** What decides whether a message to the lead is accepted. */
export const getConversation = defineOperation({
  subject: 'messaging.api.conversations.get',
  http: { method: 'GET', path: '/leads/:leadId/conversation' },
  access: { scope: 'messages:read' },
  summary: 'Read whether a lead can be written to',
  description:
    'An opt-out stops messages of source `ai` and `followup`. It stops those of source `api` only in a store whose ' +
    'setting `opt_out_stops_api` is on, and never those of source `seller`. It begins with a stop word of the lead, a stop button of a template, the setting in ' +
    'WhatsApp, or WhatsApp’s error 131050. A start word ends it. Resuming in WhatsApp ends one of scope `marketing`.',
  extension: true,
  request: { params: leadParams },
  reply: Type.Object(
    {
      lead_id: About(Uuid, 'The id of the lead.'),
      opted_out_at: {
        ...NullableTimestamp,
        description: 'When the lead opted out. Null while it has not, or after it opted in again.',
      },
      opt_out: Nullable(OptOut, {
        description: 'What the lead opted out of, and how. Null exactly when `opted_out_at` is.',
      }),
      window_expires_at: {
        ...NullableTimestamp,
        description:
          'Until when the channel accepts free text to the lead; it may be in the past. Null when the lead has never ' +
          'written or called, or when the channel always accepts free text: `window_open` tells which.',
      },
      window_open: Type.Boolean({
        description:
          'Whether the channel accepts free text to the lead now. Without a channel false. An opt-out does not count.',
      }),
      held_by: ConversationHolder,
      window_opened_by: Nullable(WindowOpener, {
        description: 'What the time until `window_expires_at` began with. Null exactly when `window_expires_at` is.',
      }),
    },
    { title: 'Conversation', description: 'What decides whether a message to the lead is accepted.' },
  ),
  errors: ['lead_not_found'],
});

/**
 * When the lead opted out, for another service, and until when the AI is paused: each is known here before crm learns it.
 * Null also for a lead that does not exist.
 */
export const getOptOut = defineOperation({
  subject: 'messaging.internal.opt-outs.get',
  summary: 'Read when a lead opted out, and until when the AI is paused',
  request: { body: Exact({ lead_id: Uuid }) },
  reply: Type.Object({ opted_out_at: NullableTimestamp, ai_paused_until: Type.Optional(NullableTimestamp) }),
});

/**
 * Tells the new phone of a lead, before the event `crm.lead.phone_changed` does. From the answer on, messages go to it. Safe
 * to repeat and in any order: `version` is the lead's.
 */
export const changeContactPhone = defineOperation({
  subject: 'messaging.internal.conversations.change-phone',
  summary: "Forget a lead's earlier phone",
  request: {
    body: Exact({
      lead_id: Uuid,
      customer_phone: Phone,
      version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    }),
  },
  reply: Done,
});

/**
 * Moves the messages and sessions of a merged lead to the lead that stays, in one transaction. Safe to repeat. Answers how
 * many messages it moved. Comes after `mergeLead` of crm.
 */
export const mergeConversations = defineOperation({
  subject: 'messaging.admin.conversations.merge',
  summary: 'Move the conversation of a merged lead to the lead that stays',
  request: { body: LeadMerge },
  reply: Type.Object({ messages: Type.Integer() }),
  errors: ['lead_busy'],
});
