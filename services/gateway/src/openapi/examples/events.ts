import {
  type ChannelNumberState,
  type Event,
  type FeedEntity,
  type FeedIds,
  type FeedObject,
  type FeedType,
  feedCatalogue,
  getEvent,
  isUpdatedType,
  listEvents,
  type UpdatedType,
} from '@mostrador/contracts';
import { document, reception } from './agents.ts';
import { type ExampleOfOperation, example } from './example.ts';
import { answer, orderReady, question, session } from './messaging.ts';
import { appointment, ids, lead, seller } from './optician.ts';
import { followup } from './scheduling.ts';

/** An event of the example store: when it happened, of which resource, and what it says. */
type Told<Type extends FeedType> = readonly [
  createdAt: string,
  entityId: string,
  ids: FeedIds<Type>,
  object: FeedObject<Type>,
];

const ofAgent = { agent_id: ids.agent, is_active: true, is_default: false };
const ofSeller = { seller_id: ids.seller, is_active: true };
const ofLead = { lead_id: ids.lead, status: lead.status, seller_id: ids.seller };
const ofSession = { session_id: ids.session, lead_id: ids.lead };
const ofQuestion = { message_id: ids.question, ...ofSession, source: question.source, status: question.status };
const ofAnswer = { message_id: ids.message, ...ofSession, source: answer.source };
const ofFollowup = { followup_id: ids.followup, lead_id: ids.lead };
const ofAppointment = {
  appointment_id: ids.appointment,
  lead_id: ids.lead,
  scheduled_at: appointment.scheduled_at,
  status: appointment.status,
};

const newLead = {
  ...lead,
  status: 'pending' as const,
  seller_id: null,
  interaction_count: 0,
  updated_at: lead.created_at,
};
const twin = { ...newLead, id: ids.otherLead, customer_phone: '5511900800143', external_id: null };
const queued = {
  ...answer,
  status: 'queued' as const,
  updated_at: answer.created_at,
  sent_at: null,
  delivered_at: null,
};
const sentAt = answer.sent_at ?? answer.created_at;
const sent = { ...answer, status: 'sent' as const, updated_at: sentAt, delivered_at: null };
const readAt = '2026-01-12T13:05:52.730Z';
const rejection = { code: 'whatsapp_131026', detail: 'The message is undeliverable.' };
const endedAt = '2026-01-12T14:20:00.000Z';
const movedTo = '2026-01-16T19:00:00.000Z';
const movedAt = '2026-01-13T12:40:08.005Z';
const sentFollowupAt = '2026-01-13T13:06:31.020Z';
const cancelledAt = '2026-01-13T09:15:44.180Z';
const confirmedAt = '2026-01-15T19:04:31.218Z';

/** An event of every type, in the order of the feed. Some exclude each other: they are examples, not one day. */
const number: ChannelNumberState = {
  ...{ health: 'good', status: 'connected', quality: 'green', sending: 'available', messaging_limit: 'TIER_2K' },
  ...{ name: 'Ótica Clara', name_status: 'approved' },
};

const told: { readonly [Type in FeedType]: Told<Type> } = {
  'agent.created': [reception.created_at, ids.agent, ofAgent, reception],
  'agent.updated': [reception.updated_at, ids.agent, ofAgent, reception],
  'document.imported': [document.created_at, ids.document, { document_id: ids.document, is_active: true }, document],
  'seller.created': ['2026-01-05T12:10:00.000Z', ids.seller, ofSeller, seller],
  'seller.updated': ['2026-01-06T11:00:00.000Z', ids.seller, ofSeller, seller],
  'lead.created': [
    lead.created_at,
    ids.lead,
    { lead_id: ids.lead, status: newLead.status, seller_id: newLead.seller_id },
    newLead,
  ],
  'session.started': [session.started_at, ids.session, ofSession, session],
  'message.received': [question.created_at, ids.question, ofQuestion, question],
  'message.queued': [answer.created_at, ids.message, { ...ofAnswer, status: queued.status }, queued],
  'message.sent': [sentAt, ids.message, { ...ofAnswer, status: sent.status }, sent],
  'message.delivered': [answer.updated_at, ids.message, { ...ofAnswer, status: answer.status }, answer],
  'lead.updated': [lead.updated_at, ids.lead, ofLead, lead],
  'message.read': [
    readAt,
    ids.message,
    { ...ofAnswer, status: 'read' },
    { ...answer, status: 'read', updated_at: readAt, read_at: readAt },
  ],
  'message.updated': [
    readAt,
    ids.message,
    { ...ofAnswer, status: answer.status },
    { ...answer, updated_at: readAt, reactions: [{ emoji: '❤️', from: 'lead', at: readAt }] },
  ],
  'message.failed': [
    readAt,
    ids.message,
    { ...ofAnswer, status: 'failed', code: rejection.code },
    { ...sent, status: 'failed', updated_at: readAt, error: rejection },
  ],
  'message.cancelled': [
    readAt,
    ids.message,
    { ...ofAnswer, status: 'cancelled' },
    { ...queued, status: 'cancelled', updated_at: readAt },
  ],
  'message.unknown': [
    readAt,
    ids.message,
    { ...ofAnswer, status: 'unknown' },
    { ...queued, status: 'unknown', updated_at: readAt },
  ],
  'message.unsettled': [
    readAt,
    ids.message,
    { ...ofAnswer, status: 'unknown' },
    { ...queued, status: 'unknown', updated_at: readAt },
  ],
  'appointment.created': [appointment.created_at, ids.appointment, ofAppointment, appointment],
  'followup.scheduled': [followup.created_at, ids.followup, { ...ofFollowup, due_at: followup.due_at }, followup],
  'session.ended': [endedAt, ids.session, ofSession, { ...session, status: 'ended', ended_at: endedAt }],
  'followup.updated': [
    '2026-01-12T15:00:12.337Z',
    ids.followup,
    { ...ofFollowup, due_at: followup.due_at },
    { ...followup, cancel_on_appointment: true, updated_at: '2026-01-12T15:00:12.337Z' },
  ],
  'followup.cancelled': [
    cancelledAt,
    ids.followup,
    { ...ofFollowup, reason: 'lead_replied' },
    { ...followup, status: 'cancelled', cancel_reason: 'lead_replied', next_attempt_at: null, updated_at: cancelledAt },
  ],
  'appointment.cancelled': [
    cancelledAt,
    ids.appointment,
    { ...ofAppointment, status: 'cancelled', source: 'console' },
    { ...appointment, status: 'cancelled', updated_at: cancelledAt },
  ],
  'appointment.updated': [
    movedAt,
    ids.appointment,
    { ...ofAppointment, scheduled_at: movedTo },
    { ...appointment, scheduled_at: movedTo, updated_at: movedAt },
  ],
  'appointment.moved': [
    movedAt,
    ids.appointment,
    {
      ...{ ...ofAppointment, scheduled_at: movedTo },
      previous_scheduled_at: appointment.scheduled_at,
      previous_duration_minutes: appointment.duration_minutes,
      source: 'api',
    },
    { ...appointment, scheduled_at: movedTo, updated_at: movedAt },
  ],
  'appointment.change_refused': [
    movedAt,
    ids.appointment,
    {
      ...ofAppointment,
      requested_scheduled_at: movedTo,
      requested_duration_minutes: appointment.duration_minutes,
      reason: 'appointment_conflict',
      source: 'calendar',
    },
    appointment,
  ],
  'followup.sent': [
    sentFollowupAt,
    ids.followup,
    { ...ofFollowup, message_id: ids.followup },
    { ...followup, status: 'sent', message_id: ids.followup, next_attempt_at: null, updated_at: sentFollowupAt },
  ],
  'followup.failed': [
    sentFollowupAt,
    ids.followup,
    { ...ofFollowup, code: rejection.code },
    { ...followup, status: 'failed', error: rejection, next_attempt_at: null, updated_at: sentFollowupAt },
  ],
  'assistant.replied': [
    sentFollowupAt,
    ids.lead,
    { lead_id: ids.lead, message_id: ids.reply, agent_id: ids.agent },
    undefined,
  ],
  'assistant.silent': [
    sentFollowupAt,
    ids.lead,
    { lead_id: ids.lead, reason: 'ai_paused', appointment_ids: [] },
    undefined,
  ],
  'assistant.handed_over': [
    sentFollowupAt,
    ids.lead,
    { lead_id: ids.lead, message_id: ids.reply, reason: 'asked_for_person' },
    undefined,
  ],
  'conversation.read': ['2026-01-14T10:29:00.000Z', ids.lead, { lead_id: ids.lead }, undefined],
  'conversation.handed_over': ['2026-01-14T10:29:30.000Z', ids.lead, { lead_id: ids.lead }, undefined],
  'lead.opted_out': [
    '2026-01-14T10:30:00.000Z',
    ids.lead,
    { lead_id: ids.lead, scope: 'marketing', source: 'channel_preference' },
    undefined,
  ],
  'template.status_changed': [
    '2026-01-14T16:20:00.000Z',
    ids.template,
    {
      ...{ template_id: ids.template, name: orderReady.name, language: orderReady.language },
      ...{ status: 'paused', previous_status: 'approved' },
    },
    { ...orderReady, status: 'paused', quality: 'red', updated_at: '2026-01-14T16:20:00.000Z' },
  ],
  'template.updated': [
    '2026-01-14T16:25:00.000Z',
    ids.template,
    { template_id: ids.template, name: orderReady.name, language: orderReady.language },
    { ...orderReady, quality: 'yellow', updated_at: '2026-01-14T16:25:00.000Z' },
  ],
  'assistant.budget_reached': [
    '2026-01-14T17:40:00.000Z',
    ids.store,
    {
      ...{ percent: 80, limit: 'calls', day: '2026-01-14', calls: 400, most_calls: 500, spent: 3.1, most_spent: 5 },
      ...{ tokens: 640_000, most_tokens: null, currency: 'XTS' },
    },
    undefined,
  ],
  'channel.number_changed': [
    '2026-01-14T17:50:00.000Z',
    ids.store,
    { ...number, health: 'warned', status: 'flagged', quality: 'red', previous: number },
    undefined,
  ],
  'budget.reached': [
    '2026-01-14T18:02:00.000Z',
    ids.store,
    { percent: 80, amount: 500, spent: 400.1, currency: 'XTS', month: '2026-01' },
    undefined,
  ],
  'booking.changed': ['2026-01-14T18:20:00.000Z', ids.store, { service_id: null }, undefined],
  'lead.opted_in': ['2026-01-15T09:00:00.000Z', ids.lead, { lead_id: ids.lead }, undefined],
  'lead.merged': ['2026-01-15T16:45:00.000Z', ids.otherLead, { lead_id: ids.otherLead, merged_into: ids.lead }, twin],
  'appointment.confirmed': [
    confirmedAt,
    ids.appointment,
    { ...{ ...ofAppointment, scheduled_at: movedTo }, source: 'customer' },
    { ...appointment, scheduled_at: movedTo, confirmed_at: confirmedAt, updated_at: confirmedAt },
  ],
  'seller.deleted': ['2026-01-30T18:00:00.000Z', ids.seller, { seller_id: ids.seller, leads_unassigned: 37 }, seller],
};

/** What the resource of a changed one was before. */
const before: { readonly [Type in UpdatedType]: Partial<NonNullable<FeedObject<Type>>> } = {
  'agent.updated': { priority: 20 },
  'seller.updated': { name: 'Camila' },
  'lead.updated': { status: newLead.status, seller_id: newLead.seller_id },
  'message.updated': { reactions: [] },
  'template.updated': { quality: orderReady.quality },
  'followup.updated': { cancel_on_appointment: followup.cancel_on_appointment },
  'appointment.updated': { scheduled_at: appointment.scheduled_at },
};

/** The ETags of the resources that have one. */
const etags: Partial<Record<FeedEntity, string>> = {
  appointment: '"v2"',
  followup: '"v2.4f1c9a07be52"',
  lead: '"v3.2"',
  seller: '"v1"',
};

const program = { kind: 'api_key', id: 'QmF1c2tqYXdo' } as const;

/** What comes through the channel. */
const ofChannel: readonly FeedType[] = [
  ...(['message.received', 'message.delivered', 'message.read', 'message.updated', 'session.started'] as const),
  ...(['lead.opted_out', 'lead.opted_in'] as const),
];
/** What the server does by itself. */
const ofSystem: readonly FeedType[] = [
  ...(['message.sent', 'message.failed', 'message.unknown', 'message.unsettled', 'session.ended'] as const),
  ...(['followup.sent', 'followup.failed', 'followup.cancelled', 'document.imported'] as const),
];

function actorOf(type: FeedType): NonNullable<Event['actor']> {
  if (ofSystem.includes(type)) return { kind: 'system', id: null };
  if (type === 'appointment.confirmed') return { kind: 'channel', id: null };
  return ofChannel.includes(type) ? { kind: 'channel', id: '0198c1f4-1b22-7b21-8b12-6e4f809102a3' } : program;
}

const types = Object.keys(told) as readonly FeedType[];

/** The example of an event type. */
export function exampleEvent(type: FeedType): Event {
  const [createdAt, entityId, idsAndStates, object] = told[type];
  const sequence = types.indexOf(type) + 1;
  const { entity } = feedCatalogue[type];
  const actor = actorOf(type);
  return {
    id: type === 'appointment.created' ? ids.event : `${ids.event.slice(0, -2)}${String(sequence).padStart(2, '0')}`,
    type,
    created_at: createdAt,
    sequence,
    store_id: ids.store,
    entity: { type: entity, id: entityId, version: 100 + sequence, etag: etags[entity] ?? null },
    actor,
    request_id: actor === program ? `3f0a7c52-6b1e-4d7a-9c55-0e8f2b4d6${100 + sequence}` : null,
    previous: isUpdatedType(type) ? before[type] : null,
    data: { ...idsAndStates, ...(object === undefined ? {} : { object }) },
  };
}

const created = exampleEvent('appointment.created');
const scheduled = exampleEvent('followup.scheduled');

export const eventExamples: readonly ExampleOfOperation[] = [
  example(
    listEvents,
    { query: { after: created.sequence - 1, types: 'appointment.created,followup.scheduled', wait: 20 } },
    { data: [created, scheduled], next: scheduled.sequence },
  ),
  example(getEvent, { params: { eventId: ids.event } }, created),
];
