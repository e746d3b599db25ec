import { type Static, type TLiteral, Type } from '@sinclair/typebox';
import { About, Exact, Nullable, OneOf, Text, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { Agent, AgentTrial } from '../crm/agents.ts';
import { ReplayedSide } from './replay.ts';

/** The most evals of one agent. */
export const mostAgentEvals = 50;
/** The most evals that one request asks about. */
export const mostEvalsAtOnce = 20;
/** The most lines of a conversation before, and expectations, of one eval. */
export const mostEvalLines = 20;
export const mostExpectations = 10;

export const expectationTypes = ['from_document', 'hands_over', 'offers_times', 'contains', 'not_contains'] as const;
export type ExpectationType = (typeof expectationTypes)[number];

const expectation = {
  type: OneOf(expectationTypes, {
    title: 'ExpectationType',
    description:
      '`from_document`: it is answered from the document with this title. `hands_over`: a person is called. ' +
      '`offers_times`: it offers free times. `contains`, `not_contains`: the answer has these words, or has them not.',
  }),
  value: Type.Optional(
    Text(200, {
      description:
        'The title of the document, or the words, without regard to case and accents. None for the other types.',
    }),
  ),
};
const GivenExpectation = Exact(expectation, {
  title: 'GivenExpectation',
  description: 'One thing that a good answer does.',
});
export type GivenExpectation = Static<typeof GivenExpectation>;

const shownExpectation = {
  type: expectation.type,
  value: Type.Optional(Type.String({ description: 'The title of the document, or the words.' })),
};
const Expectation = Type.Object(shownExpectation, {
  title: 'Expectation',
  description: 'One thing that a good answer does.',
});
export type Expectation = Static<typeof Expectation>;

const CheckedExpectation = Type.Object(
  { ...shownExpectation, holds: Type.Boolean({ description: 'Whether the answer does it.' }) },
  { title: 'CheckedExpectation', description: 'An expectation, and whether the answer keeps it.' },
);
export type CheckedExpectation = Static<typeof CheckedExpectation>;

const from = OneOf(['lead', 'store'], { title: 'EvalLineFrom', description: 'Who wrote it.' });
const GivenLine = Exact(
  { from, text: Text(1_000, { description: 'What was written.' }) },
  { title: 'GivenEvalLine', description: 'A message before what the agent answers.' },
);
const EvalLine = Type.Object(
  { from, text: Type.String({ description: 'What was written.' }) },
  { title: 'EvalLine', description: 'A message before what the agent answers.' },
);
export type EvalLine = Static<typeof EvalLine>;

const AgentEvalResult = Type.Object(
  {
    at: About(Timestamp, 'When the agent was asked.'),
    holds: Type.Boolean({ description: 'Whether there is an answer that can be sent, and all expectations hold.' }),
    expects: Type.Array(CheckedExpectation, { description: 'Each expectation, and whether it holds.' }),
    answer: ReplayedSide,
  },
  { title: 'AgentEvalResult', description: 'How an agent answered an eval.' },
);
export type AgentEvalResult = Static<typeof AgentEvalResult>;

const about = {
  text: 'What a customer writes, one message a line.',
  conversation: 'What was said before it, the oldest first. Empty: it is the first that the customer writes.',
  expects: 'What a good answer does. All of it must hold. Empty: any answer that can be sent is good.',
};

export const AgentEval = Type.Object(
  {
    id: About(Uuid, 'The id of the eval.'),
    agent_id: About(Uuid, 'Its agent.'),
    text: Type.String({ description: about.text }),
    conversation: Type.Array(EvalLine, { description: about.conversation }),
    expects: Type.Array(Expectation, { description: about.expects }),
    result: Nullable(AgentEvalResult, {
      description:
        'How the agent of the last run answered. Null: it was not asked in that run, or the eval has changed since.',
    }),
    created_at: About(Timestamp, 'When it was created.'),
    updated_at: About(Timestamp, 'When it was last changed.'),
  },
  { title: 'AgentEval', description: 'What a customer writes to an agent, and what a good answer does.' },
);
export type AgentEval = Static<typeof AgentEval>;

/** What decides about the answers of an agent. */
export const askedMembers = [
  'name',
  'model',
  'instructions',
  'tone',
  'language',
  'disclosure',
  'handover_when',
  'tools',
] as const satisfies readonly (keyof Agent)[];

const AskedAgent = Type.Pick(Agent, [...askedMembers], {
  title: 'AskedAgent',
  description: 'An agent as it was asked: what decides about its answers.',
});
export type AskedAgent = Static<typeof AskedAgent>;

const AgentEvalRun = Type.Object(
  {
    id: About(Uuid, 'The id of the run.'),
    agent_version: Type.Integer({ description: 'The version that the agent had when the run began.' }),
    is_draft: Type.Boolean({ description: 'Whether what was asked differed from the agent as it was saved then.' }),
    agent: AskedAgent,
    started_at: About(Timestamp, 'When the run began.'),
    held: Type.Integer({ description: 'The number of evals that hold.' }),
    failed: Type.Integer({ description: 'The number of evals that do not hold.' }),
    waiting: Type.Integer({
      description: 'The number of evals that were not asked in this run yet, or were created or changed since.',
    }),
  },
  { title: 'AgentEvalRun', description: 'The last run of the evals of an agent.' },
);
export type AgentEvalRun = Static<typeof AgentEvalRun>;

const agentParams = Exact({ agentId: About(Uuid, 'The id of the agent.') });
const evalParams = Exact({
  agentId: About(Uuid, 'The id of the agent.'),
  evalId: About(Uuid, 'The id of the eval.'),
});
// An eval may have what a customer of another seller wrote.
const reads = { scope: 'agents:read', alsoScope: 'messages:read', lowestRole: 'manager' } as const;
const access = { scope: 'agents:write', alsoScope: 'messages:read' } as const;

const content = {
  text: Text(4_096, { description: about.text }),
  conversation: Type.Array(GivenLine, { maxItems: mostEvalLines, description: about.conversation }),
  expects: Type.Array(GivenExpectation, { maxItems: mostExpectations, description: about.expects }),
};

export const listAgentEvals = defineOperation({
  subject: 'assistant.api.agent_evals.list',
  http: { method: 'GET', path: '/agents/:agentId/evals' },
  access: reads,
  summary: 'List the evals of an agent',
  description: 'All evals of the agent, in the order of creation, with the results of the last run.',
  extension: true,
  request: { params: agentParams },
  reply: Type.Object(
    {
      data: Type.Array(AgentEval, { description: `At most ${mostAgentEvals} evals.` }),
      run: Nullable(AgentEvalRun, { description: 'The last run. Null: there was none.' }),
    },
    { title: 'AgentEvals', description: 'The evals of an agent, and their last run.' },
  ),
  errors: ['agent_not_found'],
});

export const createAgentEval = defineOperation({
  subject: 'assistant.api.agent_evals.create',
  http: { method: 'POST', path: '/agents/:agentId/evals', status: 201 },
  access,
  summary: 'Create an eval of an agent',
  description: `An agent has at most ${mostAgentEvals} evals. It is asked when they are run, and not now.`,
  extension: true,
  request: {
    params: agentParams,
    body: Exact(
      { text: content.text, conversation: Type.Optional(content.conversation), expects: content.expects },
      { description: 'What a customer writes, and what a good answer does.' },
    ),
  },
  reply: AgentEval,
  errors: ['agent_not_found', 'agent_eval_limit'],
});

export const updateAgentEval = defineOperation({
  subject: 'assistant.api.agent_evals.update',
  http: { method: 'PATCH', path: '/agents/:agentId/evals/:evalId' },
  access,
  summary: 'Change an eval of an agent',
  description: 'Members left out stay as they are. The result of the last run is removed.',
  extension: true,
  request: {
    params: evalParams,
    body: Type.Partial(Exact(content), {
      minProperties: 1,
      additionalProperties: false,
      description: 'What to change. Members that it leaves out stay as they are.',
    }),
  },
  reply: AgentEval,
  errors: ['agent_eval_not_found'],
});

export const deleteAgentEval = defineOperation({
  subject: 'assistant.api.agent_evals.delete',
  http: { method: 'DELETE', path: '/agents/:agentId/evals/:evalId' },
  access,
  summary: 'Delete an eval of an agent',
  extension: true,
  request: { params: evalParams },
  reply: Type.Object(
    { deleted: Type.Literal(true) as TLiteral<true>, id: About(Uuid, 'The id of the deleted eval.') },
    { description: 'The eval is deleted.' },
  ),
  errors: ['agent_eval_not_found'],
});

export const runAgentEvals = defineOperation({
  subject: 'assistant.api.agent_evals.run',
  http: { method: 'POST', path: '/agents/:agentId/evals/run' },
  access,
  summary: 'Run the evals of an agent',
  description:
    'Asks the agent, as it is saved or with the changes in `agent`, what it answers to each eval, and judges the answers. ' +
    'Nothing is sent, and nothing is booked or changed. Documents and free times are those of now. Each call to the model ' +
    'counts in the usage and in the budget of the day. A run takes several requests: send its `id` as `run_id` as long as ' +
    '`waiting` is not 0. The results replace those of the run before. With an `Idempotency-Key` the answer is kept sealed ' +
    'for 24 hours, and a repeated request may ask the models again when the first one was cut off.',
  extension: true,
  request: {
    params: agentParams,
    body: Exact(
      {
        agent: Type.Optional(AgentTrial),
        run_id: Type.Optional(About(Uuid, 'The run to go on with, whose agent stays the same. Default: a new run.')),
        evals: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: mostEvalsAtOnce,
            default: 5,
            description:
              'How many evals are asked about. When the time of the request or the budget ends first: fewer.',
          }),
        ),
      },
      { description: 'The agent as it is asked, or the run to go on with.' },
    ),
  },
  reply: Type.Object(
    {
      run: AgentEvalRun,
      data: Type.Array(AgentEval, { description: 'The evals that this request has asked about.' }),
    },
    { title: 'RanAgentEvals', description: 'The run so far, and what this request has added.' },
  ),
  errors: [
    ...(['agent_not_found', 'agent_eval_not_found', 'agent_eval_run_not_found'] as const),
    ...(['model_not_connected', 'ai_budget_reached'] as const),
  ],
});
