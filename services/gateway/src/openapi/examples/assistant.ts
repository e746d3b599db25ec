import {
  type AgentEval,
  type AgentEvalRun,
  askedMembers,
  createAgentEval,
  decideEffects,
  deleteAgentEval,
  explainMessage,
  getAiUsage,
  listAgentEvals,
  listDecisions,
  replayConversation,
  runAgentEvals,
  updateAgentEval,
} from '@mostrador/contracts';
import { document, reception } from './agents.ts';
import { type ExampleOfOperation, example } from './example.ts';
import { ids } from './optician.ts';

const agentEval: AgentEval = {
  ...{ id: ids.agentEval, agent_id: ids.agent, text: 'Do you open on Saturdays?', conversation: [] },
  expects: [
    { type: 'from_document', value: document.title },
    { type: 'contains', value: '13:00' },
  ],
  ...{ result: null, created_at: '2026-01-12T14:11:40.220Z', updated_at: '2026-01-12T14:11:40.220Z' },
};
const evalResult: AgentEval['result'] = {
  ...{ at: '2026-01-12T14:15:09.871Z', holds: true },
  expects: agentEval.expects.map((expectation) => ({ ...expectation, holds: true })),
  answer: {
    ...{ action: 'reply', reason: null, text: 'Yes, come by on Saturday from 9:00 to 13:00!', tools: [] },
    ...{ offers_times: false, passages: [document.title], model: 'openai/gpt-5-mini' },
  },
};
const evalRun: AgentEvalRun = {
  ...{ id: ids.evalRun, agent_version: reception.version, is_draft: true },
  agent: Object.fromEntries(
    askedMembers.map((name) => [name, { ...reception, tone: 'warm and brief' }[name]]),
  ) as AgentEvalRun['agent'],
  ...{ started_at: '2026-01-12T14:15:08.102Z', held: 1, failed: 0, waiting: 0 },
};

export const assistantExamples: readonly ExampleOfOperation[] = [
  example(
    explainMessage,
    { params: { leadId: ids.lead, messageId: ids.reply } },
    {
      message_id: ids.reply,
      outcome: 'sent',
      handover_reason: null,
      agent_id: ids.agent,
      agent_name: reception.name,
      agent_reason: 'conditions_hold',
      considered: [{ agent_id: ids.agent, name: reception.name, outcome: 'selected', failed_condition: null }],
      passages: [{ document_id: ids.document, title: document.title, used: true }],
      tools: [],
      decision: null,
      model: 'demo',
      latency_ms: 3,
      tokens: null,
      cost: { amount: 0, currency: 'USD' },
      superseded: 0,
      answered_from: '2026-01-12T13:02:11.482Z',
      answered_to: '2026-01-12T13:02:14.106Z',
    },
  ),
  example(
    decideEffects,
    { params: { leadId: ids.lead, messageId: ids.reply }, body: { decision: 'confirm' } },
    {
      tools: [
        {
          ...{ tool: 'cancel', input: { appointment: ids.appointment } },
          output: {
            appointment: {
              ...{ id: ids.appointment, title: 'Exame de vista', scheduled_at: '2026-01-19T13:00:00.000Z' },
              ...{ duration_minutes: 45, status: 'cancelled' },
            },
          },
          awaits_confirmation: false,
          offer: null,
        },
      ],
      message_id: ids.message,
    },
  ),
  example(
    listDecisions,
    { params: { leadId: ids.lead } },
    {
      data: [
        {
          message_id: ids.reply,
          asked_at: '2026-01-12T13:02:14.106Z',
          decision: {
            decision: 'decline',
            decided_at: '2026-01-12T13:09:40.250Z',
            by: { kind: 'user', id: ids.user, name: 'Marina Alves' },
          },
          tools: [
            {
              ...{ tool: 'cancel', input: { appointment: ids.appointment }, output: { error: 'declined' } },
              ...{ awaits_confirmation: false, offer: null },
            },
          ],
        },
      ],
    },
  ),
  example(
    getAiUsage,
    { query: { from: '2026-01-12', to: '2026-01-12' } },
    {
      from: '2026-01-12',
      to: '2026-01-12',
      currency: 'USD',
      data: [
        {
          ...{ day: '2026-01-12', agent_id: ids.agent, model: 'openai/gpt-5-mini' },
          ...{ calls: 41, failed_calls: 1, input_tokens: 53_120, output_tokens: 4_870, cost: 0.02302 },
        },
      ],
    },
  ),
  example(
    replayConversation,
    { body: { lead_id: ids.lead, agent: { tone: 'warm and brief' }, turns: 1 } },
    {
      agent_id: ids.agent,
      data: [
        {
          turn_id: ids.reply,
          at: '2026-01-12T13:02:14.106Z',
          text: 'Do you open on Saturdays?',
          before: {
            ...{ action: 'reply', reason: null, text: 'We are open on Saturdays from 9:00 to 13:00.', tools: [] },
            ...{ offers_times: false, passages: [document.title], model: 'openai/gpt-5-mini' },
          },
          after: {
            ...{ action: 'reply', reason: null, text: 'Yes, come by on Saturday from 9:00 to 13:00!', tools: [] },
            ...{ offers_times: false, passages: [document.title], model: 'openai/gpt-5-mini' },
          },
          differs: true,
        },
      ],
      next: null,
    },
  ),
  example(
    listAgentEvals,
    { params: { agentId: ids.agent } },
    {
      data: [{ ...agentEval, result: evalResult }],
      run: evalRun,
    },
  ),
  example(
    createAgentEval,
    { params: { agentId: ids.agent }, body: { text: agentEval.text, expects: agentEval.expects } },
    agentEval,
  ),
  example(
    updateAgentEval,
    { params: { agentId: ids.agent, evalId: ids.agentEval }, body: { text: 'Are you open on Saturday?' } },
    { ...agentEval, text: 'Are you open on Saturday?', updated_at: '2026-01-12T14:20:05.310Z' },
  ),
  example(
    deleteAgentEval,
    { params: { agentId: ids.agent, evalId: ids.agentEval } },
    { deleted: true, id: ids.agentEval },
  ),
  example(
    runAgentEvals,
    { params: { agentId: ids.agent }, body: { agent: { tone: 'warm and brief' }, evals: 10 } },
    { run: evalRun, data: [{ ...agentEval, result: evalResult }] },
  ),
];
