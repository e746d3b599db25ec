import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  Exact,
  MapOf,
  NextStep,
  Nullable,
  NullableString,
  NullableTimestamp,
  NullableUuid,
  OneOf,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { SelectionOutcome } from '../crm/agents.ts';
import { toolNames } from './tools.ts';

/** How a turn ends. A turn answers the messages that a lead wrote one after the other. */
export const turnOutcomes = ['sent', 'silent', 'superseded', 'handed_over'] as const;
export type TurnOutcome = (typeof turnOutcomes)[number];

/** Why a turn ended without an answer. */
export const silentReasons = [
  'switched_off',
  'no_model',
  'no_agent',
  'ai_paused',
  'lead_opted_out',
  'lead_not_found',
  'nothing_to_answer',
  'no_answer_needed',
  'too_late',
  'channel_not_connected',
  'messaging_window_closed',
  'message_budget_reached',
  'restored',
] as const;
export type SilentReason = (typeof silentReasons)[number];
export const SilentReasonWord = OneOf(silentReasons, {
  title: 'SilentReason',
  description:
    'Why the AI does not answer. `too_late`: the messages were written more than 15 minutes ago. `nothing_to_answer`: ' +
    'they were deleted, or answered before. `no_answer_needed`: such as thanks. `restored`: the ' +
    'database was restored, and the answer may have been sent.',
});

/** Why a turn was handed to a person. */
export const handoverReasons = [
  'asked_for_person',
  'nothing_found',
  'agent_decided',
  'no_text',
  'budget_reached',
  'too_many_answers',
  'model_refused',
  'model_unavailable',
  'too_many_steps',
  'needs_confirmation',
  'interrupted',
] as const;
export type HandoverReason = (typeof handoverReasons)[number];
export const HandoverReasonWord = OneOf(handoverReasons, {
  title: 'HandoverReason',
  description:
    'Why a person must answer. `agent_decided`: the model, such as by the `handover_when` of its agent. `no_text`: the ' +
    'lead sent something that the AI cannot read. `budget_reached`: the calls of the day, what they may cost or their tokens are used up, or the budget for messages, after an appointment was booked, ' +
    'moved or cancelled. `too_many_answers`: ' +
    'the AI has answered the lead 20 times within an hour, as with another bot. `too_many_steps`: the model has asked for tools again and again. `needs_confirmation`: the model asked for an effect that a person confirms, with `POST /leads/{leadId}/messages/{messageId}/decision`. `model_refused`: the model does not want to answer. `model_unavailable`: no provider gave an answer that can be sent. `interrupted`: an appointment was booked, moved or cancelled, and then the AI could not go on, such as because it was switched off.',
});

const ExplainedTool = Type.Object(
  {
    tool: Type.String({ description: `One of ${toolNames.map((name) => `\`${name}\``).join(', ')}.` }),
    input: MapOf(Type.Unknown(), { description: 'What the model gave it.' }),
    output: MapOf(Type.Unknown(), {
      description:
        'What it gave back. `error`: it had no effect, and why; of `outcome_unknown` it is not known whether it had one. ' +
        'Empty while a person is to confirm it.',
    }),
    awaits_confirmation: Type.Boolean({ description: 'Whether it is made only when a person confirms it.' }),
    offer: Nullable(
      Type.Object(
        {
          title: Type.String({ description: 'The title of the appointment.' }),
          scheduled_at: About(Timestamp, 'When it would begin.'),
          duration_minutes: Type.Integer({ description: 'How long it would take.' }),
          held_until: About(
            NullableTimestamp,
            'Until when it is kept for the lead, while a person is to decide: an hour from the question on. Null: it is ' +
              'not kept, so another customer may take it.',
          ),
        },
        { title: 'ExplainedOffer', description: 'The time that `book` or `move` takes.' },
      ),
      { description: 'The time that `book` or `move` would take, while a person is to confirm it. Otherwise null.' },
    ),
  },
  { title: 'ExplainedTool', description: 'A tool that the model used, or asked for in vain.' },
);
export type ExplainedTool = Static<typeof ExplainedTool>;

export const EffectDecisionWord = OneOf(['confirm', 'decline'], {
  title: 'EffectDecision',
  description: '`confirm`: the effects are made. `decline`: they are not.',
});

const MadeDecision = Type.Object(
  {
    decision: EffectDecisionWord,
    decided_at: About(Timestamp, 'When it was made.'),
    by: Nullable(
      Type.Object(
        {
          kind: OneOf(['user', 'api_key'], { title: 'DeciderKind', description: 'A person, or a program with a key.' }),
          id: About(NullableUuid, 'The id of the person or of the key.'),
          name: About(NullableString, 'The name of the person at that moment. Null for a key.'),
        },
        { title: 'Decider', description: 'Who made it.' },
      ),
      { description: 'Who made it. Null: it is not known.' },
    ),
  },
  { title: 'MadeDecision', description: 'What was decided about the effects that the AI asked a person for.' },
);
export type MadeDecision = Static<typeof MadeDecision>;
const NullableDecision = Nullable(MadeDecision, {
  description: 'What a person has decided about the effects that it asks for. Null: nothing yet, or it asks for none.',
});

const Explanation = Type.Object(
  {
    message_id: About(Uuid, 'The message that the AI wrote.'),
    outcome: OneOf(['sent', 'handed_over'], {
      title: 'ExplainedOutcome',
      description: '`sent`: it answered. `handed_over`: it said that a person will answer.',
    }),
    handover_reason: Nullable(HandoverReasonWord, { description: 'For `handed_over`: why. Otherwise null.' }),
    agent_id: About(NullableUuid, 'The agent that answered. Null: it was handed over before one was chosen.'),
    agent_name: About(NullableString, 'Its name at that moment.'),
    agent_reason: About(NullableString, 'Why it was chosen: the `reason` of `POST /agents/select`.'),
    considered: Type.Array(
      Type.Object(
        {
          agent_id: About(Uuid, 'The agent.'),
          name: Type.String({ description: 'Its name at that moment.' }),
          outcome: SelectionOutcome,
          failed_condition: Nullable(
            Type.Object(
              {
                condition_type: Type.String({ description: 'What was compared.' }),
                operator: Type.String({ description: 'How it was compared.' }),
                value: Type.String({ description: 'With what it was compared.' }),
              },
              { title: 'ExplainedCondition', description: 'A condition that did not hold.' },
            ),
            { description: 'For `no_group_holds`: the first condition that did not hold. Otherwise null.' },
          ),
        },
        { title: 'ExplainedAgent', description: 'An agent of the selection, and what came of it.' },
      ),
      { description: 'The first 20 agents in the order of the selection: why this one, and why not the others.' },
    ),
    passages: Type.Array(
      Type.Object(
        {
          document_id: About(Uuid, 'The document.'),
          title: Type.String({ description: 'Its title at that moment.' }),
          used: Type.Boolean({ description: 'Whether the answer is made from it.' }),
        },
        { title: 'ExplainedPassage', description: 'A passage of a document that the model was given.' },
      ),
      { description: 'What the model was given from the knowledge, best first.' },
    ),
    tools: Type.Array(ExplainedTool, {
      description: 'What the model asked the server to do for this message, in order.',
    }),
    decision: NullableDecision,
    model: About(NullableString, 'The provider and model that wrote it. Null: no model was asked.'),
    latency_ms: Nullable(Type.Integer(), { description: 'How long the model took. Null: no model was asked.' }),
    tokens: Nullable(
      Type.Object(
        {
          input: Type.Integer({ description: 'Of the prompts.' }),
          output: Type.Integer({ description: 'Of the answers.' }),
        },
        { title: 'ExplainedTokens', description: 'Tokens of the calls to models.' },
      ),
      { description: 'What the calls to models have used, also those that failed. Null: no provider has told it.' },
    ),
    cost: Nullable(
      Type.Object(
        {
          amount: Type.Number({ description: 'What they have cost.' }),
          currency: Type.String({ description: 'ISO 4217.' }),
        },
        { title: 'ExplainedCost', description: 'What the calls to models have cost.' },
      ),
      { description: 'By the prices that the operator keeps. Null: no price is known.' },
    ),
    superseded: Type.Integer({
      description: 'How many answers were prepared before this one and not sent, because the lead wrote on.',
    }),
    answered_from: About(Timestamp, 'When the first message that it answers was received.'),
    answered_to: About(Timestamp, 'When the last message that it answers was received.'),
  },
  { title: 'Explanation', description: 'Why a message of the AI says what it says.' },
);
export type Explanation = Static<typeof Explanation>;

export const explainMessage = defineOperation({
  subject: 'assistant.api.messages.explain',
  http: { method: 'GET', path: '/leads/:leadId/messages/:messageId/explanation' },
  access: { scope: 'messages:read' },
  summary: 'Read why the AI wrote a message',
  description:
    'The agent and why it was chosen, why not the others, the passages that the model was given, the tools that it used, the model, and how many answers were not sent. Only messages of source `ai` ' +
    'have an explanation: any other answers 404 `message_not_found`.',
  extension: true,
  request: {
    params: Exact({
      leadId: About(Uuid, 'The id of the lead.'),
      messageId: About(Uuid, 'The id of the message.'),
    }),
  },
  reply: Explanation,
  errors: ['lead_not_found', 'message_not_found'],
});

export const decideEffects = defineOperation({
  subject: 'assistant.api.messages.decide',
  http: { method: 'POST', path: '/leads/:leadId/messages/:messageId/decision' },
  access: { scope: 'messages:write', alsoScope: 'appointments:write', audited: ['decision'] },
  summary: 'Confirm or decline what the AI asked a person for',
  description:
    'A message of the AI that was handed over with the reason `needs_confirmation` waits for this: its explanation names ' +
    'the effects with `awaits_confirmation`. `confirm` makes them, as they would have been made at once, and tells the lead ' +
    'what was booked, moved or cancelled. The time of `book` and `move` is kept for the lead until the `held_until` of its ' +
    'offer. An effect that is not possible any more has an `error` in its output, and `alternatives` if its time is taken. ' +
    '`decline` makes none, gives the time back and tells the lead nothing: answer in your own words. A repeat of `confirm` ' +
    'after a lost answer has no second effect.',
  extension: true,
  request: {
    params: Exact({
      leadId: About(Uuid, 'The id of the lead.'),
      messageId: About(Uuid, 'The id of the message.'),
    }),
    body: Exact(
      {
        decision: EffectDecisionWord,
      },
      { description: 'The decision about all effects of the message that wait.' },
    ),
  },
  reply: Type.Object(
    {
      tools: Type.Array(ExplainedTool, { description: 'What was decided about, with what came of it.' }),
      message_id: About(
        NullableUuid,
        'The message that tells the lead what was done. Null: none could or had to be sent.',
      ),
    },
    { title: 'DecidedEffects', description: 'What came of a decision.' },
  ),
  errors: ['lead_not_found', 'message_not_found', 'nothing_to_confirm'],
});

const AskedEffects = Type.Object(
  {
    message_id: About(Uuid, 'The message of the AI that says that a person confirms it.'),
    asked_at: About(Timestamp, 'When the last message was received that it answers.'),
    decision: NullableDecision,
    tools: Type.Array(ExplainedTool, { description: 'What the AI asks for, with what came of it.' }),
  },
  { title: 'AskedEffects', description: 'What the AI has asked a person to confirm.' },
);
export type AskedEffects = Static<typeof AskedEffects>;

/** The questions of an answer. */
export const mostDecisions = 50;

export const listDecisions = defineOperation({
  subject: 'assistant.api.decisions.list',
  http: { method: 'GET', path: '/leads/:leadId/decisions' },
  access: { scope: 'messages:read' },
  summary: 'List what the AI asked people to confirm for a lead',
  description:
    `The last ${mostDecisions} messages that were handed over with the reason \`needs_confirmation\`, the newest first: what ` +
    'the AI asked for, what was decided, and who decided. One without a `decision` waits for ' +
    '`POST /leads/{leadId}/messages/{messageId}/decision`.',
  extension: true,
  request: { params: Exact({ leadId: About(Uuid, 'The id of the lead.') }) },
  reply: Type.Object(
    { data: Type.Array(AskedEffects, { description: 'The questions, the newest first.' }) },
    { title: 'Decisions', description: 'What the AI asked people to confirm.' },
  ),
  errors: ['lead_not_found'],
});

/** The due step of a lead's open turn. Safe to repeat at any time. */
export const advanceTurn = defineOperation({
  subject: 'assistant.step.turns.advance',
  summary: "Run the due step of a lead's open turn",
  request: { body: Exact({ lead_id: Uuid }) },
  reply: NextStep,
});
