import { type Static, Type } from '@sinclair/typebox';
import { About, Exact, NullableTimestamp, OneOf, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { leadParams } from './messages.ts';

export const sessionStatuses = ['active', 'ended'] as const;
const SessionStatus = OneOf(sessionStatuses, {
  title: 'SessionStatus',
  description: 'A session ends after a day without a message, or by a request.',
});

export const Session = Type.Object(
  {
    id: About(Uuid, 'The id of the session.'),
    lead_id: About(Uuid, 'The lead of the session.'),
    status: SessionStatus,
    started_at: About(Timestamp, 'When its first message came.'),
    ended_at: About(NullableTimestamp, 'When it ended. Null while it is active.'),
  },
  { title: 'Session', description: 'A part of a conversation: messages without a long pause between them.' },
);
export type Session = Static<typeof Session>;

export const listSessions = defineOperation({
  subject: 'messaging.api.sessions.list',
  http: { method: 'GET', path: '/leads/:leadId/sessions' },
  access: { scope: 'messages:read' },
  summary: "List a lead's sessions",
  description: 'All sessions, in chronological order.',
  request: { params: leadParams },
  reply: Type.Array(Session),
  errors: ['lead_not_found'],
});

export const closeSession = defineOperation({
  subject: 'messaging.api.sessions.close',
  http: { method: 'POST', path: '/leads/:leadId/sessions/:sessionId/close' },
  access: { scope: 'messages:write' },
  summary: 'End a session',
  description:
    'An ended session stays as it is. The next message opens a new session. What the lead wrote in the session and before ' +
    'it waits for an answer no longer, also when the session had ended by itself.',
  extension: true,
  request: {
    params: Exact({
      leadId: About(Uuid, 'The id of the lead.'),
      sessionId: About(Uuid, 'The id of the session.'),
    }),
  },
  reply: Session,
  errors: ['lead_not_found', 'session_not_found'],
});

/** Whether no session of a lead has ended. True also for a lead that does not exist. */
export const isFirstContact = defineOperation({
  subject: 'messaging.internal.sessions.first-contact',
  summary: 'Read whether no session of a lead has ended yet',
  request: { body: Exact({ lead_id: Uuid }) },
  reply: Type.Object({ first_contact: Type.Boolean() }),
});
