import { type Static, Type } from '@sinclair/typebox';
import {
  Described,
  Exact,
  Nullable,
  NullableString,
  NullableText,
  OneOf,
  Page,
  paging,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { leadStatuses } from './leads.ts';

export const agentModels = ['auto', 'gemini', 'openai'] as const;

const AgentModel = OneOf(agentModels, {
  title: 'AgentModel',
  description: '`auto`: the store’s default. `gemini`, `openai`: a generative model of that provider.',
});

/** Limits of an agent. Many agents of the maximum size fit into one reply. */
export const agentBounds = { groups: 10, conditionsPerGroup: 10, greatestPriority: 1_000_000 } as const;

// Strings, not enums, as in the specification: later versions may add values.
export const Condition = Type.Object(
  {
    id: Uuid,
    condition_type: Type.String({ description: '`lead_status`' }),
    operator: Type.String({ description: '`=`' }),
    value: Type.String({ description: 'For `lead_status`: a status of a lead' }),
  },
  { title: 'Condition' },
);

export const ConditionGroup = Type.Object(
  {
    id: Uuid,
    group_index: Type.Integer(),
    logical_operator: Type.String({ description: '`AND`: all conditions of the group must hold' }),
    conditions: Type.Array(Condition),
  },
  { title: 'ConditionGroup' },
);

export const Agent = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    model: AgentModel,
    priority: Type.Integer({ description: 'A lower number is chosen first.' }),
    is_active: Type.Boolean(),
    is_default: Type.Boolean({ description: "Used when no agent's conditions hold." }),
    voice_id: NullableString,
    audio_response_enabled: Type.Boolean({ description: 'Replies with audio when the lead sends audio.' }),
    condition_groups: Type.Array(ConditionGroup, { description: 'OR between groups, AND within a group.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Agent' },
);
export type Agent = Static<typeof Agent>;

export const listAgents = defineOperation({
  subject: 'crm.api.agents.list',
  summary: 'List the active agents',
  description:
    'Only active agents, ordered by `priority` (lowest number first), then by id. Condition groups are ordered by ' +
    '`group_index`.',
  request: { query: Exact(paging()) },
  reply: Page(Agent),
});

export const getAgent = defineOperation({
  subject: 'crm.api.agents.get',
  summary: 'Read an agent, active or not',
  request: { params: Exact({ agentId: Uuid }) },
  reply: Agent,
  errors: ['agent_not_found'],
});

/** The outcome of one agent in a selection. */
export const selectionOutcomes = ['selected', 'outranked', 'no_group_holds', 'no_groups', 'inactive'] as const;

const EvaluatedCondition = Type.Object(
  {
    id: Uuid,
    condition_type: Type.String(),
    operator: Type.String(),
    value: Type.String(),
    actual: Type.String({ description: 'The lead’s own value, which is compared with `value`.' }),
    holds: Type.Boolean(),
  },
  { title: 'EvaluatedCondition' },
);

const EvaluatedConditionGroup = Type.Object(
  { id: Uuid, group_index: Type.Integer(), holds: Type.Boolean(), conditions: Type.Array(EvaluatedCondition) },
  { title: 'EvaluatedConditionGroup' },
);

const ConsideredAgent = Type.Object(
  {
    agent_id: Uuid,
    name: Type.String(),
    priority: Type.Integer(),
    is_default: Type.Boolean(),
    outcome: OneOf(selectionOutcomes, {
      title: 'AgentSelectionOutcome',
      description:
        '`outranked`: a group holds, but an earlier agent was selected. `inactive`: the default agent is not ' +
        'active, so it cannot be selected.',
    }),
    condition_groups: Type.Array(EvaluatedConditionGroup),
  },
  { title: 'ConsideredAgent' },
);

export const AgentSelection = Type.Object(
  {
    agent: Nullable(Agent),
    reason: OneOf(['conditions_hold', 'default', 'no_agent'], {
      title: 'AgentSelectionReason',
      description:
        '`conditions_hold`: the first active agent by priority with a group whose conditions all hold. ' +
        '`default`: no such agent, so the default agent. `no_agent`: there is no default agent either.',
    }),
    considered: Type.Array(ConsideredAgent, {
      description: 'Every active agent in the order of selection, with the outcome of each group and condition.',
    }),
  },
  { title: 'AgentSelection' },
);
export type AgentSelection = Static<typeof AgentSelection>;

export const selectAgent = defineOperation({
  subject: 'crm.api.agents.select',
  summary: 'Find the agent that a lead gets',
  description:
    'The first active agent by priority that has a group whose conditions all hold, otherwise the default agent. The ' +
    'answer says why. The request changes nothing.',
  extension: true,
  request: { body: Exact({ lead_id: Uuid }) },
  reply: AgentSelection,
  errors: ['lead_not_found'],
});

const NewCondition = Exact({
  condition_type: OneOf(['lead_status']),
  operator: OneOf(['=']),
  value: OneOf(leadStatuses),
});

const NewConditionGroup = Exact({
  group_index: Type.Integer({ minimum: 0, maximum: 1000 }),
  logical_operator: Type.Optional(OneOf(['AND'], { default: 'AND' })),
  conditions: Type.Array(NewCondition, { minItems: 1, maxItems: agentBounds.conditionsPerGroup }),
});

const agentMembers = {
  name: Text(200),
  model: AgentModel,
  priority: Type.Integer({ minimum: 0, maximum: agentBounds.greatestPriority }),
  is_active: Type.Boolean(),
  is_default: Type.Boolean(),
  voice_id: NullableText(200),
  audio_response_enabled: Type.Boolean(),
  condition_groups: Type.Array(NewConditionGroup, { maxItems: agentBounds.groups }),
};

export const createAgent = defineOperation({
  subject: 'crm.admin.agents.create',
  summary: 'Create an agent',
  request: {
    body: Exact({
      name: agentMembers.name,
      model: Type.Optional(Described(AgentModel, { default: 'auto' })),
      priority: agentMembers.priority,
      is_active: Type.Optional(Type.Boolean({ default: true })),
      is_default: Type.Optional(Type.Boolean({ default: false })),
      voice_id: Type.Optional(agentMembers.voice_id),
      audio_response_enabled: Type.Optional(Type.Boolean({ default: false })),
      condition_groups: Type.Optional(agentMembers.condition_groups),
    }),
  },
  reply: Agent,
  errors: ['default_agent_exists'],
});

export const updateAgent = defineOperation({
  subject: 'crm.admin.agents.update',
  summary: 'Change an agent; members left out stay as they are, condition groups are replaced as a whole',
  request: {
    body: Exact({
      agent_id: Uuid,
      changes: Type.Partial(Exact(agentMembers), { minProperties: 1, additionalProperties: false }),
    }),
  },
  reply: Agent,
  errors: ['agent_not_found', 'default_agent_exists'],
});

export const agentOperations = { listAgents, getAgent, selectAgent, createAgent, updateAgent } as const;
