import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { AiBudget, AiBudgetLimit } from '../assistant/models.ts';
import { HandoverReasonWord, SilentReasonWord } from '../assistant/turns.ts';
import { About, Nullable, NullableTimestamp, NullableUuid, Timestamp, Uuid } from '../core/common.ts';
import { Agent } from '../crm/agents.ts';
import { KnowledgeDocument } from '../crm/knowledge.ts';
import { Lead, LeadStatus } from '../crm/leads.ts';
import { Seller } from '../crm/sellers.ts';
import { ChannelNumberState } from '../messaging/channel-number.ts';
import { MessageBudget } from '../messaging/channels.ts';
import { OptOutScope, OptOutSource } from '../messaging/conversations.ts';
import { Message, MessageSource, MessageStatusWord } from '../messaging/messages.ts';
import { Session } from '../messaging/sessions.ts';
import { NullableTemplateStatus, Template, TemplateStatusWord } from '../messaging/templates.ts';
import { Appointment, AppointmentSourceWord, AppointmentStatus } from '../scheduling/appointments.ts';
import { Followup, FollowupCancelReasonWord } from '../scheduling/followups.ts';

/** What an event is about. A conversation has the id of its lead. */
export const feedEntities = [
  'agent',
  'appointment',
  'conversation',
  'document',
  'followup',
  'lead',
  'message',
  'seller',
  'session',
  'store',
  'template',
] as const;
export type FeedEntity = (typeof feedEntities)[number];

/**
 * The maximum size of an event's `data` in bytes of JSON, and of `data` and `previous` together. `previous` is null when
 * both would be larger, and the object when `data` alone would be.
 */
export const maxEventDataBytes = 20 * 1024;

type Members = Record<string, TSchema>;

/** An event type: what it says, the kind of its entity, and its data: ids and states, and the resource when it has one. */
const fact = <const Entity extends FeedEntity, Ids extends Members, Resource extends TObject>(
  entity: Entity,
  description: string,
  ids: Ids,
  resource: Resource,
) => ({ entity, description, ids: Type.Object(ids), object: objectOf(resource), resource });

/** An event about an entity that another service owns, so it shows no resource. */
const bareFact = <const Entity extends FeedEntity, Ids extends Members>(
  entity: Entity,
  description: string,
  ids: Ids,
) => ({ entity, description, ids: Type.Object(ids), object: undefined, resource: undefined });

const objectOf = <Resource extends TSchema>(resource: Resource) =>
  Nullable(resource, {
    description:
      'The resource as the API shows it, as it was when the event happened. Null when the event would exceed 20 KiB: ' +
      'read the resource instead.',
  });

const appointmentIds = {
  appointment_id: About(Uuid, 'The appointment.'),
  lead_id: About(NullableUuid, 'The lead who comes, if it is a lead of the store.'),
  scheduled_at: About(Timestamp, 'When it begins.'),
  status: AppointmentStatus,
};
const followupIds = { followup_id: About(Uuid, 'The follow-up.'), lead_id: About(Uuid, 'The lead who gets it.') };
const dueFollowupIds = { ...followupIds, due_at: About(Timestamp, 'When it is due.') };
const leadIds = {
  lead_id: About(Uuid, 'The lead.'),
  status: LeadStatus,
  seller_id: About(NullableUuid, 'The seller in charge of the lead.'),
};
const sellerIds = {
  seller_id: About(Uuid, 'The seller.'),
  is_active: Type.Boolean({ description: 'Whether leads can be assigned to the seller.' }),
};
const agentIds = {
  agent_id: About(Uuid, 'The agent.'),
  is_active: Type.Boolean({ description: 'Whether the agent can be chosen.' }),
  is_default: Type.Boolean({ description: 'Whether it is chosen when no other agent is.' }),
};
const messageIds = {
  message_id: About(Uuid, 'The message.'),
  lead_id: About(Uuid, 'The lead who wrote it or gets it.'),
  session_id: About(Uuid, 'Its session.'),
  source: MessageSource,
  status: MessageStatusWord,
};
const failureCode = Type.String({ description: 'Why: a stable code.' });
const sessionIds = { session_id: About(Uuid, 'The session.'), lead_id: About(Uuid, 'Its lead.') };
const conversationIds = { lead_id: About(Uuid, 'The lead.') };

/**
 * The events of the public feed (`GET /events`, webhooks), in the past tense. The catalogue only grows: a type is never
 * removed, and its data only gains members.
 */
export const feedCatalogue = {
  'appointment.created': fact('appointment', 'An appointment was created.', appointmentIds, Appointment),
  'appointment.updated': fact(
    'appointment',
    'An appointment was changed, or became done, cancelled or no_show.',
    appointmentIds,
    Appointment,
  ),
  'appointment.moved': fact(
    'appointment',
    'An appointment got another time or duration, in a store with booking rules or in its calendar. An `appointment.updated` comes before it.',
    {
      ...appointmentIds,
      previous_scheduled_at: About(Timestamp, 'When it began before.'),
      previous_duration_minutes: Type.Integer({ description: 'How long it took before, in minutes.' }),
      source: AppointmentSourceWord,
    },
    Appointment,
  ),
  'appointment.cancelled': fact(
    'appointment',
    'An appointment was cancelled, in a store with booking rules or in its calendar. An `appointment.updated` comes before it.',
    { ...appointmentIds, source: AppointmentSourceWord },
    Appointment,
  ),
  'appointment.confirmed': fact(
    'appointment',
    'The customer confirmed an appointment in answer to a reminder, for the first time or again. An `appointment.updated` comes before it.',
    { ...appointmentIds, source: AppointmentSourceWord },
    Appointment,
  ),
  'appointment.change_refused': fact(
    'appointment',
    'A person moved or deleted the event of an appointment in the calendar, and that was refused. The appointment stays as it is, and its event is written again.',
    {
      ...appointmentIds,
      requested_scheduled_at: About(
        NullableTimestamp,
        'When the event began. Null: it had no time of the day, or was deleted.',
      ),
      requested_duration_minutes: Type.Integer({
        description: 'How long the event took, in minutes. 0, with a null beginning: it was deleted.',
      }),
      reason: Type.String({
        description:
          'The code of the error that the same change gets in the API, or `changed_meanwhile`: a later change in Mostrador replaced it.',
      }),
      source: AppointmentSourceWord,
    },
    Appointment,
  ),
  'booking.changed': bareFact(
    'store',
    'The booking rules, a service or the time zone of the store changed: other times may be free. Bookings have events of their own.',
    {
      service_id: About(
        NullableUuid,
        'The service that was created, changed or deleted. Null: the rules or the zone changed.',
      ),
    },
  ),
  'followup.scheduled': fact('followup', 'A follow-up was scheduled.', dueFollowupIds, Followup),
  'followup.updated': fact(
    'followup',
    'A pending follow-up was changed: its message, its conditions, or when it is due.',
    dueFollowupIds,
    Followup,
  ),
  'followup.sent': fact(
    'followup',
    'The channel accepted the message of a follow-up.',
    { ...followupIds, message_id: About(Uuid, 'The message that it became.') },
    Followup,
  ),
  'followup.failed': fact(
    'followup',
    'A follow-up could not be sent.',
    { ...followupIds, code: failureCode },
    Followup,
  ),
  'followup.cancelled': fact(
    'followup',
    'A follow-up was cancelled before it was sent.',
    { ...followupIds, reason: About(FollowupCancelReasonWord, 'What cancelled it.') },
    Followup,
  ),
  'lead.created': fact('lead', 'A lead was created.', leadIds, Lead),
  'lead.updated': fact(
    'lead',
    'A lead was changed. A new `interaction_count` or `opted_out_at` alone is no `lead.updated`.',
    leadIds,
    Lead,
  ),
  'lead.merged': fact(
    'lead',
    'A lead was merged into another lead of the same person, and no longer exists. Its messages, appointments and ' +
      'follow-ups move to that lead a moment later, without events of their own.',
    { lead_id: About(Uuid, 'The lead that no longer exists.'), merged_into: About(Uuid, 'The lead that is kept.') },
    Lead,
  ),
  'seller.created': fact('seller', 'A seller was created.', sellerIds, Seller),
  'seller.updated': fact('seller', 'A seller was changed.', sellerIds, Seller),
  'seller.deleted': fact(
    'seller',
    'A seller was deleted and their leads were unassigned. There is no `lead.updated` for these leads.',
    {
      seller_id: About(Uuid, 'The seller.'),
      leads_unassigned: Type.Integer({ description: 'How many leads the seller had.' }),
    },
    Seller,
  ),
  'agent.created': fact('agent', 'An agent was created.', agentIds, Agent),
  'agent.updated': fact('agent', 'An agent or its conditions were changed.', agentIds, Agent),
  'document.imported': fact(
    'document',
    'A knowledge document was created, or changed by a later import.',
    {
      document_id: About(Uuid, 'The document.'),
      is_active: Type.Boolean({ description: 'Whether the agents answer from it.' }),
    },
    KnowledgeDocument,
  ),
  'message.received': fact('message', 'A lead sent a message.', messageIds, Message),
  'message.queued': fact('message', 'A message to a lead was accepted. It is sent next.', messageIds, Message),
  'message.unknown': fact(
    'message',
    'The channel’s answer was lost: the message may or may not have been sent. What is found out later has its own event.',
    messageIds,
    Message,
  ),
  'message.sent': fact('message', 'The channel accepted a message.', messageIds, Message),
  'message.delivered': fact('message', 'A message reached the lead’s device.', messageIds, Message),
  'message.read': fact('message', 'The lead read a message.', messageIds, Message),
  'message.failed': fact(
    'message',
    'The channel rejected a message, or the service gave it up.',
    { ...messageIds, code: failureCode },
    Message,
  ),
  'message.cancelled': fact(
    'message',
    'A message was cancelled while it was queued. It is never sent.',
    messageIds,
    Message,
  ),
  'message.unsettled': fact(
    'message',
    'A message needs attention: for too long its outcome is unknown, no status update came, or it waits for a channel.',
    messageIds,
    Message,
  ),
  'message.updated': fact(
    'message',
    'The lead reacted to a message or took a reaction back, edited a message, or deleted it. No new message came. Or ' +
      'the channel corrected a time of a message, or told its id, or the message that it quotes came later.',
    messageIds,
    Message,
  ),
  'session.started': fact('session', 'A session began.', sessionIds, Session),
  'session.ended': fact('session', 'A session ended.', sessionIds, Session),
  'conversation.read': bareFact(
    'conversation',
    'People of the store read messages of a lead, or answered them.',
    conversationIds,
  ),
  'conversation.handed_over': bareFact(
    'conversation',
    'Another agent of the number, such as Meta Business Agent, passed the conversation of a lead to the store. A person ' +
      'must answer.',
    conversationIds,
  ),
  'lead.opted_out': bareFact('conversation', 'A lead opted out of messages, or of more or less than before.', {
    ...conversationIds,
    scope: OptOutScope,
    source: OptOutSource,
  }),
  'template.status_changed': fact(
    'template',
    'The channel approved, paused, rejected or disabled a template, or deleted it. What it says first of a channel’s ' +
      'templates is no change.',
    {
      template_id: About(Uuid, 'The template.'),
      name: Type.String({ description: 'Its name.' }),
      language: Type.String({ description: 'Its language.' }),
      status: TemplateStatusWord,
      previous_status: About(NullableTemplateStatus, 'What it was before. Null: the template is new.'),
    },
    Template,
  ),
  'template.updated': fact(
    'template',
    'The channel says something else of a template than its status: its category, which decides the price, its quality, or its text.',
    {
      template_id: About(Uuid, 'The template.'),
      name: Type.String({ description: 'Its name.' }),
      language: Type.String({ description: 'Its language.' }),
    },
    Template,
  ),
  'channel.number_changed': bareFact(
    'store',
    'The channel says something else of the store’s number: its status, quality, limits or name. What it says first is ' +
      'no change.',
    {
      ...ChannelNumberState.properties,
      previous: Type.Object(ChannelNumberState.properties, {
        title: 'PreviousChannelNumber',
        description: 'What it said before.',
      }),
    },
  ),
  'budget.reached': bareFact(
    'store',
    'The messages of the month take 80 percent of the budget, or all of it: another one of the same price does not fit. ' +
      'Each is told once a month, and again when the budget was changed, or when spending had fallen ten points below.',
    {
      percent: Type.Integer({ minimum: 80, maximum: 100, description: '80 or 100.' }),
      ...MessageBudget.properties,
    },
  ),
  'lead.opted_in': bareFact('conversation', 'A lead opted in to messages again.', conversationIds),
  'assistant.replied': bareFact('conversation', 'The AI answered a lead. The message has its own events.', {
    ...conversationIds,
    message_id: About(Uuid, 'The answer.'),
    agent_id: About(Uuid, 'The agent that wrote it.'),
  }),
  'assistant.silent': bareFact('conversation', 'The AI did not answer what a lead wrote. Nothing was sent.', {
    ...conversationIds,
    reason: SilentReasonWord,
    appointment_ids: Type.Array(Uuid, {
      description: 'The appointments that the AI had booked, moved or cancelled for the lead before. Tell the lead.',
    }),
  }),
  'assistant.budget_reached': bareFact(
    'store',
    'The AI has used up 80 percent of its calls, its money or its tokens for today, in UTC, or all of it: a call was refused, and ' +
      'people answer. Each is told once a day. When the limits have changed, 100 percent is told again, and so is 80 ' +
      'percent when the new limits left less used up.',
    {
      percent: Type.Integer({
        ...{ minimum: 80, maximum: 100 },
        description: '80 or 100. 100: a call was refused. For 80, money and tokens count when their call has ended.',
      }),
      limit: About(
        AiBudgetLimit,
        'The limit that is reached. When several are: the first of `calls`, `money` and `tokens`.',
      ),
      ...Type.Omit(AiBudget, ['reached_at']).properties,
    },
  ),
  'assistant.handed_over': bareFact('conversation', 'The AI told a lead that a person will answer. Answer the lead.', {
    ...conversationIds,
    message_id: About(Uuid, 'What the lead was told.'),
    reason: HandoverReasonWord,
  }),
} as const;

export type FeedType = keyof typeof feedCatalogue;
export const feedTypes = Object.keys(feedCatalogue) as readonly FeedType[];

/** The ids and states of an event of this type. */
export type FeedIds<T extends FeedType> = Static<(typeof feedCatalogue)[T]['ids']>;

/** The resource that an event of this type shows, or null. Undefined for a type that shows none. */
export type FeedObject<T extends FeedType> = (typeof feedCatalogue)[T]['object'] extends infer Schema extends TSchema
  ? Static<Schema>
  : undefined;

/** The types whose events tell what changed. */
export type UpdatedType = Extract<FeedType, `${string}.updated`>;

export const isUpdatedType = (type: string): type is UpdatedType =>
  type.endsWith('.updated') && Object.hasOwn(feedCatalogue, type);

/**
 * The members that `previous` of an event may have: those of the resource, with the values that they had before. Not
 * `updated_at`, because it changes with all of them.
 */
export function feedPreviousMembers(type: UpdatedType): Readonly<Record<string, TSchema>> {
  const { updated_at: _updatedAt, ...members } = feedCatalogue[type].resource.properties as Members;
  return members;
}

/** The schema of the `data` of an event of this type. */
export function feedDataSchema(type: FeedType): TObject {
  const { ids, object } = feedCatalogue[type];
  return Type.Object({ ...ids.properties, ...(object && { object }) });
}
