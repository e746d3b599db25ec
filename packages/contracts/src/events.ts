import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { NullableUuid, OneOf, Timestamp, Uuid } from './core/common.ts';
import { LeadStatus } from './crm/leads.ts';
import { messageSources, messageStatuses } from './messaging/messages.ts';
import { AppointmentStatus } from './scheduling/appointments.ts';
import { followupCancelReasons } from './scheduling/followups.ts';

/**
 * The JetStream stream of the domain events. The subject of an event is `events.<type>`, and a type begins with its
 * service. The stream must not take the other subjects of `events.`: those are requests to the service `events`, and
 * the stream would answer them.
 */
export const eventStream = {
  name: 'EVENTS',
  subjects: ['events.crm.>', 'events.messaging.>', 'events.scheduling.>'],
  /** JetStream reserves this size on its disk when the stream is created. */
  maxBytes: 1024 ** 3,
} as const;

export const eventSubject = (type: EventType): string => `events.${type}`;

const event = <Data extends TSchema>(description: string, data: Data) => ({ description, data });

/**
 * Published facts, in the past tense. Delivery is at least once and in no guaranteed order; `id` is the same on every
 * delivery. Events hold only ids and states: a consumer that needs more asks the service that owns the row.
 */
export const eventCatalogue = {
  'scheduling.appointment.created': event(
    'An appointment was created.',
    Type.Object({ appointment_id: Uuid, lead_id: NullableUuid, scheduled_at: Timestamp, status: AppointmentStatus }),
  ),
  'scheduling.appointment.updated': event(
    'An appointment was changed, or became done, cancelled or no_show.',
    Type.Object({ appointment_id: Uuid, lead_id: NullableUuid, scheduled_at: Timestamp, status: AppointmentStatus }),
  ),
  'scheduling.followup.scheduled': event(
    'A follow-up was scheduled.',
    Type.Object({ followup_id: Uuid, lead_id: Uuid, due_at: Timestamp }),
  ),
  'scheduling.followup.updated': event(
    'A pending follow-up was changed: its message, its conditions, or when it is due.',
    Type.Object({ followup_id: Uuid, lead_id: Uuid, due_at: Timestamp }),
  ),
  'scheduling.followup.sent': event(
    'The channel accepted the message of a follow-up.',
    Type.Object({ followup_id: Uuid, lead_id: Uuid, message_id: Uuid }),
  ),
  'scheduling.followup.failed': event(
    'A follow-up could not be sent.',
    Type.Object({ followup_id: Uuid, lead_id: Uuid, code: Type.String() }),
  ),
  'scheduling.followup.cancelled': event(
    'A follow-up was cancelled before it was sent.',
    Type.Object({ followup_id: Uuid, lead_id: Uuid, reason: OneOf(followupCancelReasons) }),
  ),
  'crm.lead.created': event(
    'A lead was created.',
    Type.Object({ lead_id: Uuid, status: LeadStatus, seller_id: NullableUuid }),
  ),
  'crm.leads.imported': event(
    'An import created leads. This event replaces a `crm.lead.created` for each of them.',
    Type.Object({ lead_ids: Type.Array(Uuid) }),
  ),
  'crm.lead.updated': event(
    'A lead was changed.',
    Type.Object({ lead_id: Uuid, status: LeadStatus, seller_id: NullableUuid }),
  ),
  'crm.lead.phone_changed': event(
    'A lead got another phone, and not only another form of it. A `crm.lead.updated` comes with it.',
    Type.Object({ lead_id: Uuid }),
  ),
  'crm.lead.merged': event(
    'A lead was merged into another lead of the same person. Its messages, appointments and follow-ups move to that ' +
      'lead a moment later, without events of their own.',
    Type.Object({ lead_id: Uuid, merged_into: Uuid }),
  ),
  'crm.seller.created': event('A seller was created.', Type.Object({ seller_id: Uuid, is_active: Type.Boolean() })),
  'crm.seller.updated': event('A seller was changed.', Type.Object({ seller_id: Uuid, is_active: Type.Boolean() })),
  'crm.seller.deleted': event(
    'A seller was deleted and their leads were unassigned. This event replaces a `crm.lead.updated` for each lead.',
    Type.Object({ seller_id: Uuid, leads_unassigned: Type.Integer() }),
  ),
  'crm.agent.created': event(
    'An agent was created.',
    Type.Object({ agent_id: Uuid, is_active: Type.Boolean(), is_default: Type.Boolean() }),
  ),
  'crm.agent.updated': event(
    'An agent or its conditions were changed.',
    Type.Object({ agent_id: Uuid, is_active: Type.Boolean(), is_default: Type.Boolean() }),
  ),
  'crm.document.imported': event(
    'A knowledge document was created, or changed by a later import.',
    Type.Object({ document_id: Uuid, is_active: Type.Boolean() }),
  ),
  'messaging.message.received': event(
    'A lead sent a message. `on_standby`: another agent of the number has the conversation, so our AI does not answer.',
    Type.Object({
      ...{ message_id: Uuid, lead_id: Uuid, session_id: Uuid, received_at: Timestamp },
      on_standby: Type.Optional(Type.Boolean()),
    }),
  ),
  'messaging.message.sent': event(
    'The channel accepted a message.',
    Type.Object({ message_id: Uuid, lead_id: Uuid, source: OneOf(messageSources) }),
  ),
  'messaging.message.status_changed': event(
    'The channel sent a status update for a message.',
    Type.Object({ message_id: Uuid, lead_id: Uuid, status: OneOf(messageStatuses) }),
  ),
  'messaging.message.failed': event(
    'The channel rejected a message, or the service gave it up.',
    Type.Object({ message_id: Uuid, lead_id: Uuid, source: OneOf(messageSources), code: Type.String() }),
  ),
  'messaging.message.cancelled': event(
    'A message was cancelled while it was queued. It is never sent.',
    Type.Object({ message_id: Uuid, lead_id: Uuid, source: OneOf(messageSources) }),
  ),
  'messaging.message.unsettled': event(
    'A message needs attention: for too long its outcome is unknown, no status update came, or it waits for a channel.',
    Type.Object({ message_id: Uuid, lead_id: Uuid }),
  ),
  'messaging.session.started': event('A session began.', Type.Object({ session_id: Uuid, lead_id: Uuid })),
  'messaging.session.ended': event('A session ended.', Type.Object({ session_id: Uuid, lead_id: Uuid })),
  'messaging.lead.opted_out': event('A lead opted out of messages.', Type.Object({ lead_id: Uuid })),
  'messaging.lead.opted_in': event('A lead opted in to messages again.', Type.Object({ lead_id: Uuid })),
} as const;

export type EventType = keyof typeof eventCatalogue;

export type EventData<T extends EventType> = Static<(typeof eventCatalogue)[T]['data']>;

/** The envelope on the wire. `id` is also the `Nats-Msg-Id`. */
export type DomainEvent<T extends EventType = EventType> = {
  readonly id: string;
  readonly type: T;
  readonly store_id: string;
  readonly occurred_at: string;
  readonly data: EventData<T>;
};
