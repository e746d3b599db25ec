import { Type } from '@sinclair/typebox';
import { Exact } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { NullableNumber } from '../core/reports.ts';
import { maxAmount } from './messages.ts';

/** The messaging settings of a store. */
export const MessagingSettings = Type.Object({
  message_wait_seconds: Type.Number(),
  session_idle_hours: Type.Number(),
  opt_out_stops_api: Type.Boolean(),
  /** How long the AI is paused after a seller has written. */
  ai_pause_minutes: Type.Integer(),
  /** Whether a message of the API pauses the AI, too. */
  api_pauses_ai: Type.Boolean(),
  /** What messages may cost in a month, in the currency of the rate file. Null: there is no limit. */
  monthly_budget: Type.Optional(NullableNumber('What messages may cost in a month.')),
});

export const updateMessagingSettings = defineOperation({
  subject: 'messaging.admin.settings.update',
  summary:
    'Change how long a request waits, when a session ends, what an opt-out stops, what pauses the AI, and the budget',
  request: {
    body: Exact(
      {
        message_wait_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 8 })),
        session_idle_hours: Type.Optional(Type.Number({ minimum: 0.01, maximum: 720 })),
        opt_out_stops_api: Type.Optional(Type.Boolean()),
        ai_pause_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 43_200 })),
        api_pauses_ai: Type.Optional(Type.Boolean()),
        monthly_budget: Type.Optional(
          Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, maximum: maxAmount }),
        ),
      },
      { minProperties: 1 },
    ),
  },
  reply: MessagingSettings,
});

/** Accounts asks it for the people of a store. */
export const getMessagingSettings = defineOperation({
  subject: 'messaging.internal.settings.get',
  summary:
    'Read how long a request waits, when a session ends, what an opt-out stops, what pauses the AI, and the budget',
  request: {},
  reply: MessagingSettings,
});

export const changeMessagingSettings = defineOperation({
  subject: 'messaging.internal.settings.change',
  summary: updateMessagingSettings.summary,
  request: updateMessagingSettings.request,
  reply: MessagingSettings,
});
