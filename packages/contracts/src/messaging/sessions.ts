import { type Static, Type } from '@sinclair/typebox';
import { Exact, NullableTimestamp, OneOf, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { leadParams } from './messages.ts';

export const sessionStatuses = ['active', 'ended'] as const;
const SessionStatus = OneOf(sessionStatuses, { title: 'SessionStatus' });

export const Session = Type.Object(
  {
    id: Uuid,
    lead_id: Uuid,
    status: SessionStatus,
    started_at: Timestamp,
    ended_at: NullableTimestamp,
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

export const listSessions = defineOperation({
  subject: 'messaging.api.sessions.list',
  summary: "List a lead's sessions",
  description: 'All sessions, in chronological order.',
  request: { params: leadParams },
  reply: Type.Array(Session),
  errors: ['lead_not_found'],
});

export const closeSession = defineOperation({
  subject: 'messaging.api.sessions.close',
  summary: 'End a session',
  description: 'An ended session stays as it is. The next message opens a new session.',
  extension: true,
  request: { params: Exact({ leadId: Uuid, sessionId: Uuid }) },
  reply: Session,
  errors: ['session_not_found'],
});
