import { type Static, Type } from '@sinclair/typebox';
import { About, DateText, Exact, NullableString, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { NullableNumber } from '../core/reports.ts';

/** The days that one answer shows at most. */
export const longestUsageDays = 92;

const ModelUsage = Type.Object(
  {
    day: About(DateText, 'The day, in UTC.'),
    agent_id: About(Uuid, 'The agent for which the model was asked. It may have been deleted since.'),
    model: Type.String({ description: 'The provider and the name of the model, such as `openai/gpt-5-mini`.' }),
    calls: Type.Integer({ description: 'How often the model was asked.' }),
    failed_calls: Type.Integer({ description: 'How many of these gave no answer that could be sent.' }),
    input_tokens: Type.Integer({ description: 'Tokens of the prompts, as far as the provider tells them.' }),
    output_tokens: Type.Integer({ description: 'Tokens of the answers, as far as the provider tells them.' }),
    cost: NullableNumber(
      'What these tokens cost, in `currency`. Calls without a known price count 0. Null: none has one.',
    ),
  },
  { title: 'ModelUsage', description: 'What the calls to a model for an agent have used on a day.' },
);
export type ModelUsage = Static<typeof ModelUsage>;

export const getAiUsage = defineOperation({
  subject: 'assistant.api.usage.get',
  http: { method: 'GET', path: '/ai/usage' },
  access: { scope: 'agents:read' },
  summary: 'Read what the AI has used',
  description:
    `Calls, tokens and cost by day, agent and model, the newest day first. \`from\` and \`to\` are both inclusive, and at most ` +
    `${longestUsageDays} days together; without them the answer shows the last 30 days with today. Days are in UTC. A call ` +
    'counts when it has ended. `cost` is its price at that moment, by the prices that the operator keeps.',
  extension: true,
  request: {
    query: Exact({
      from: Type.Optional(About(DateText, 'The first day, such as `2027-01-31`.')),
      to: Type.Optional(About(DateText, 'The last day, such as `2027-01-31`. By default today.')),
    }),
  },
  reply: Type.Object(
    {
      from: About(DateText, 'The first day that the answer shows.'),
      to: About(DateText, 'The last day that the answer shows.'),
      currency: About(NullableString, 'Of `cost`, ISO 4217. Null: the operator keeps no prices.'),
      data: Type.Array(ModelUsage, { description: 'Days, agents and models without a call have no entry.' }),
    },
    { title: 'AiUsage', description: 'What the AI has used.' },
  ),
});
