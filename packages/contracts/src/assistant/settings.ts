import { type Static, Type } from '@sinclair/typebox';
import { Exact } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { NullableInteger, NullableNumber } from '../core/reports.ts';
import { maxAmount } from '../messaging/messages.ts';
import { EffectNames } from './tools.ts';

/** The greatest limit of tokens a day. */
export const maxDailyTokens = 1_000_000_000;

/** What a store has set for the answers of its AI. */
export const AssistantSettings = Type.Object({
  /** Whether the AI answers leads. Off in a new store. */
  ai: Type.Boolean(),
  /** It answers when the lead has been quiet for this long. */
  ai_quiet_seconds: Type.Number(),
  /** It answers at the latest this long after the first unanswered message. */
  ai_max_wait_seconds: Type.Number(),
  /** How many calls to a model one day may have, in UTC. */
  ai_daily_calls: Type.Integer(),
  /** What the calls of a day may cost, in the currency of the price file. Null: there is no limit. */
  ai_daily_budget: NullableNumber('What the calls of a day may cost.'),
  /** How many tokens the calls of a day may read and write. Null: there is no limit. */
  ai_daily_tokens: NullableInteger('How many tokens the calls of a day may have.'),
  /** The effects that a person confirms. */
  ai_confirm: EffectNames,
});
export type AssistantSettings = Static<typeof AssistantSettings>;

export const updateAssistantSettings = defineOperation({
  subject: 'assistant.admin.settings.update',
  summary: 'Change whether the AI answers leads, how long it waits, and what it may use a day',
  request: {
    body: Exact(
      {
        ai: Type.Optional(Type.Boolean()),
        ai_quiet_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 60 })),
        ai_max_wait_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 300 })),
        ai_daily_calls: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
        ai_daily_budget: Type.Optional(
          Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, maximum: maxAmount }),
        ),
        ai_daily_tokens: Type.Optional(
          Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: maxDailyTokens }),
        ),
        ai_confirm: Type.Optional(EffectNames),
      },
      { minProperties: 1 },
    ),
  },
  reply: AssistantSettings,
});
