import { Type } from '@sinclair/typebox';
import { Exact, NullableString, NullableTimestamp, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { defineFence } from '../core/restore.ts';

/** Holds due follow-ups, begins a new epoch of calendar events, and has them compared with the appointments. */
export const fenceScheduling = defineFence('scheduling');

export const releaseFollowups = defineOperation({
  subject: 'scheduling.admin.followups.release',
  summary: 'Send follow-ups that `restore fence` holds',
  request: {
    body: Exact({
      followup_id: Type.Optional({ ...Uuid, description: 'Without it: all that are held in the store.' }),
    }),
  },
  reply: Type.Object({ released: Type.Integer() }),
});

export const listLostEvents = defineOperation({
  subject: 'scheduling.admin.calendars.lost-events',
  summary: "List the events after a moment in the store's calendar whose appointments are lost",
  request: { body: Exact({ since: Timestamp }) },
  reply: Type.Object({
    appointments: Type.Array(Uuid, { description: 'The ids of the lost appointments.' }),
    events: Type.Optional(
      Type.Array(
        Type.Object({
          appointment_id: Uuid,
          title: { ...NullableString, description: 'As the calendar shows it, with what people changed.' },
          scheduled_at: NullableTimestamp,
        }),
        { description: 'The same appointments, as their calendar shows them. An earlier version does not say it.' },
      ),
    ),
    error: { ...NullableString, description: 'Why the calendar could not be listed.' },
  }),
});
