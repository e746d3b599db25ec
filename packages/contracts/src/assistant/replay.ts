import { type Static, Type } from '@sinclair/typebox';
import { About, Exact, MapOf, Nullable, NullableString, OneOf, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { AgentTrial } from '../crm/agents.ts';
import { toolNames } from './tools.ts';

/** The most turns of one replay. */
export const mostReplayedTurns = 20;

const replayActions = ['reply', 'silent', 'hand_over', 'use_tools', 'failed'] as const;
const ReplayAction = OneOf(replayActions, {
  title: 'ReplayAction',
  description:
    '`use_tools`: it books, moves, cancels, plans a follow-up or changes the lead. In a replay nothing is done, so the new ' +
    'turn ends there, without a text. `failed`: the model gave no answer that can be sent.',
});

export const ReplayedSide = Type.Object(
  {
    action: ReplayAction,
    reason: About(NullableString, 'Why it was silent, was handed over, or failed. Otherwise null.'),
    text: About(NullableString, 'What the lead read, or would read. Null: nothing.'),
    tools: Type.Array(
      Type.Object(
        {
          tool: Type.String({ description: `One of ${toolNames.map((name) => `\`${name}\``).join(', ')}.` }),
          input: MapOf(Type.Unknown(), { description: 'What the model gave it.' }),
        },
        { title: 'ReplayedTool', description: 'A tool that the model asked for.' },
      ),
      { description: 'What the model asked the server to do, in order.' },
    ),
    offers_times: Type.Boolean({ description: 'Whether the text ends with free times.' }),
    passages: Type.Array(Type.String(), { description: 'The titles of the documents that the answer is made from.' }),
    model: About(NullableString, 'The provider and model. Null: no model was asked.'),
  },
  { title: 'ReplayedSide', description: 'How an agent answers a turn.' },
);
export type ReplayedSide = Static<typeof ReplayedSide>;

const ReplayedTurn = Type.Object(
  {
    turn_id: About(Uuid, 'The turn. When the AI answered, it is also the id of its message.'),
    at: About(Timestamp, 'When the last message was received that the turn answers.'),
    text: Type.String({ description: 'What the lead wrote, one message a line.' }),
    before: ReplayedSide,
    after: ReplayedSide,
    differs: Type.Boolean({ description: 'Whether the action, the tools that change something, or the text differ.' }),
  },
  { title: 'ReplayedTurn', description: 'What a lead wrote, how it was answered, and how the changed agent answers.' },
);
export type ReplayedTurn = Static<typeof ReplayedTurn>;

export const replayConversation = defineOperation({
  subject: 'assistant.api.conversations.replay',
  http: { method: 'POST', path: '/ai/replay' },
  access: { scope: 'agents:write', alsoScope: 'messages:read' },
  summary: 'Try a changed agent on a stored conversation',
  description:
    'Asks the model again what it was asked in the turns of a conversation, as if the agent of the lead were changed, and ' +
    'shows each answer beside the stored one. Nothing is sent, and nothing is booked or changed. Free times are looked ' +
    'up as they are now, unless the stored turn had the same search. Each call to the model counts in the usage and in the ' +
    'budget of the day. The answer shows texts of the lead, and with an `Idempotency-Key` it is kept sealed for 24 hours. A repeated request may ' +
    'ask the models again when the first one was cut off. When the time of the request or the budget ends first, it has ' +
    'fewer turns: go on with `after`.',
  extension: true,
  request: {
    body: Exact(
      {
        lead_id: About(Uuid, 'The lead whose conversation is replayed.'),
        agent: AgentTrial,
        after: Type.Optional(About(Uuid, 'The `next` of the answer before. Default: from the oldest turn.')),
        turns: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: mostReplayedTurns,
            default: 5,
            description: 'How many turns are replayed.',
          }),
        ),
      },
      { description: 'A conversation and a changed agent.' },
    ),
  },
  reply: Type.Object(
    {
      agent_id: About(Uuid, 'The agent that the lead has now.'),
      data: Type.Array(ReplayedTurn, {
        description: 'The turns, the oldest first. Those whose messages are not among the latest 200 are left out.',
      }),
      next: Nullable(Uuid, { description: 'What to send as `after` for the turns that follow. Null: there are none.' }),
    },
    { title: 'Replay', description: 'A conversation beside its replay.' },
  ),
  errors: ['lead_not_found', 'agent_not_found', 'model_not_connected', 'ai_budget_reached'],
});
