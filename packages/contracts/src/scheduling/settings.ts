import { Type } from '@sinclair/typebox';
import { Exact } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { SendingWindows } from './followups.ts';

/** The scheduling settings of a store. */
const SchedulingSettings = Type.Object({ sending_windows: SendingWindows, calendar_customer: Type.Boolean() });

/** Accounts asks it for the people of a store. */
export const getSchedulingSettings = defineOperation({
  subject: 'scheduling.internal.settings.get',
  summary: 'Read when follow-ups may be sent, and what the events of the calendar show',
  request: {},
  reply: SchedulingSettings,
});

export const changeSchedulingSettings = defineOperation({
  subject: 'scheduling.internal.settings.change',
  summary: 'Set when follow-ups may be sent, and what the events of the calendar show',
  request: {
    body: Exact(
      { sending_windows: Type.Optional(SendingWindows), calendar_customer: Type.Optional(Type.Boolean()) },
      { minProperties: 1 },
    ),
  },
  reply: SchedulingSettings,
});
