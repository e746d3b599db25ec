import { Type } from '@sinclair/typebox';
import { Exact } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

/** The messaging settings of a store. */
export const MessagingSettings = Type.Object({
  message_wait_seconds: Type.Number(),
  session_idle_hours: Type.Number(),
  opt_out_stops_api: Type.Boolean(),
});

export const updateMessagingSettings = defineOperation({
  subject: 'messaging.admin.settings.update',
  summary: 'Change how long a request waits for the channel, when a session ends, and what an opt-out stops',
  request: {
    body: Exact(
      {
        message_wait_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 8 })),
        session_idle_hours: Type.Optional(Type.Number({ minimum: 0.01, maximum: 720 })),
        opt_out_stops_api: Type.Optional(Type.Boolean()),
      },
      { minProperties: 1 },
    ),
  },
  reply: MessagingSettings,
});

/** Accounts asks it for the people of a store. */
export const getMessagingSettings = defineOperation({
  subject: 'messaging.internal.settings.get',
  summary: 'Read how long a request waits for the channel, when a session ends, and what an opt-out stops',
  request: {},
  reply: MessagingSettings,
});

export const changeMessagingSettings = defineOperation({
  subject: 'messaging.internal.settings.change',
  summary: updateMessagingSettings.summary,
  request: updateMessagingSettings.request,
  reply: MessagingSettings,
});
