import { type Static, Type } from '@sinclair/typebox';
import { ToolNames, toolNames } from '../assistant/tools.ts';
import {
  About,
  Described,
  Exact,
  maxTags,
  Nullable,
  NullableString,
  NullableText,
  NullableTimestamp,
  NullableUuid,
  OneOf,
  Page,
  paging,
  Tag,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { OpeningHours } from '../core/hours.ts';
import { defineOperation } from '../core/operation.ts';
import { LeadStatus } from './leads.ts';

export const agentModels = ['auto', 'gemini', 'openai'] as const;

const AgentModel = OneOf(agentModels, {
  title: 'AgentModel',
  description: '`auto`: the store’s default. `gemini`, `openai`: a generative model of that provider.',
});

/** Limits of an agent. Many agents of the maximum size fit into one reply. */
export const agentBounds = {
  groups: 10,
  conditionsPerGroup: 10,
  hoursPerCondition: 50,
  /** Of all groups together, as JSON. */
  conditionBytes: 16 * 1024,
  greatestPriority: 1_000_000,
} as const;

/** What a condition can compare. */
export const conditionTypes = [
  'lead_status',
  'seller',
  'tag',
  'message_contains',
  'language',
  'first_contact',
  'business_hours',
] as const;

/** How a condition can compare. Which ones a type has stands in its description. */
export const conditionOperators = ['=', '!=', 'in', 'not_in', 'contains'] as const;

const conditionAbout =
  'What is compared. `lead_status`: a status. `seller`: the id of the responsible seller, or `none`. `tag`: the tags. ' +
  '`message_contains`: the message, without regard to case and accents. `language`: a language tag such as `pt` or ' +
  '`pt-BR`. `first_contact`: `true` until a session of the lead has ended. `business_hours`: `open` or `closed`.';
const operatorAbout =
  'How it is compared. `=` and `!=`: every type. `in` and `not_in`, with values separated by commas: every type but ' +
  '`first_contact` and `business_hours`. `contains`: only `tag` and `message_contains`, for which it means the same as `=`.';

/** What a `business_hours` condition may have besides its value. */
const hoursMembers = {
  hours: Type.Array(OpeningHours, {
    minItems: 1,
    maxItems: agentBounds.hoursPerCondition,
    description: 'Only of `business_hours`: when it is open. Left out: the opening hours of the booking rules.',
  }),
  timezone: Type.String({
    format: 'time-zone',
    maxLength: 100,
    description: 'Only of `business_hours` with `hours`: their IANA time zone. Left out: the time zone of the store.',
  }),
};
const ConditionHours = {
  hours: Type.Optional(hoursMembers.hours),
  timezone: Type.Optional(Type.String({ description: hoursMembers.timezone.description as string })),
};

// Strings, not enums, as in the specification: later versions may add values.
export const Condition = Type.Object(
  {
    id: About(Uuid, 'The id of the condition.'),
    condition_type: Type.String({ description: conditionAbout }),
    operator: Type.String({ description: operatorAbout }),
    value: Type.String({ description: 'With what it is compared.' }),
    ...ConditionHours,
  },
  { title: 'Condition', description: 'One comparison with a lead, its message or the time.' },
);
export type Condition = Static<typeof Condition>;

export const ConditionGroup = Type.Object(
  {
    id: About(Uuid, 'The id of the group.'),
    group_index: Type.Integer({ description: 'The place of the group among those of its agent.' }),
    logical_operator: Type.String({ description: '`AND`: all conditions of the group must hold.' }),
    conditions: Type.Array(Condition, { description: 'The conditions of the group.' }),
  },
  { title: 'ConditionGroup', description: 'Conditions that hold together.' },
);

/** What tells the model how an agent speaks. A change of one of these members makes a new version of the agent. */
const writing = {
  instructions: NullableText(8000, { description: 'What the agent knows and does, in plain words. Null: nothing.' }),
  tone: NullableText(200, { description: 'How the agent writes, such as `warm and brief`. Null: as it likes.' }),
  language: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'locale',
    maxLength: 35,
    description: 'The language in which the agent writes, such as `pt-BR`. Null: that of the lead.',
  }),
  disclosure: Type.Boolean({ description: 'Whether the agent says that it is an AI.' }),
  handover_when: NullableText(2000, {
    description: 'When the agent hands the conversation to a person, in plain words. Null: when it cannot help.',
  }),
};

/** The same members in a reply, which the service need not check again. */
const shownWriting = {
  instructions: About(NullableString, writing.instructions.description as string),
  tone: About(NullableString, writing.tone.description as string),
  language: About(NullableString, writing.language.description as string),
  disclosure: writing.disclosure,
  handover_when: About(NullableString, writing.handover_when.description as string),
};

export const Agent = Type.Object(
  {
    id: About(Uuid, 'The id of the agent.'),
    name: Type.String({ description: 'The name of the agent.' }),
    model: AgentModel,
    priority: Type.Integer({ description: 'A lower number is chosen first.' }),
    is_active: Type.Boolean({ description: 'Whether the agent can be chosen.' }),
    is_default: Type.Boolean({ description: "Used when no agent's conditions hold." }),
    voice_id: About(NullableString, 'The voice of audio replies, as its provider names it. Null: none.'),
    audio_response_enabled: Type.Boolean({ description: 'Replies with audio when the lead sends audio.' }),
    ...shownWriting,
    tools: ToolNames,
    version: Type.Integer({
      description:
        'From 1 on. It grows with each change of what the agent is told: see `GET /agents/{agentId}/versions`.',
    }),
    condition_groups: Type.Array(ConditionGroup, { description: 'OR between groups, AND within a group.' }),
    created_at: About(Timestamp, 'When it was created.'),
    updated_at: About(Timestamp, 'When it last changed.'),
  },
  {
    title: 'Agent',
    description:
      'An AI agent, with the conditions under which a lead gets it. It answers in stores where the AI is on.',
  },
);
export type Agent = Static<typeof Agent>;

const agentParams = Exact({ agentId: About(Uuid, 'The id of the agent.') });

export const listAgents = defineOperation({
  subject: 'crm.api.agents.list',
  http: { method: 'GET', path: '/agents' },
  access: { scope: 'agents:read' },
  summary: 'List the active agents',
  description:
    'Only active agents, ordered by `priority` (lowest number first), then by id. Condition groups are ordered by ' +
    '`group_index`.',
  request: { query: Exact(paging()) },
  reply: Page(Agent),
});

export const getAgent = defineOperation({
  subject: 'crm.api.agents.get',
  http: { method: 'GET', path: '/agents/:agentId' },
  access: { scope: 'agents:read' },
  summary: 'Read an agent, active or not',
  request: { params: agentParams },
  reply: Agent,
  errors: ['agent_not_found'],
});

export const AgentVersion = Type.Object(
  {
    version: Type.Integer({ description: 'The number of the version, from 1 on.' }),
    ...shownWriting,
    replaced_at: About(NullableTimestamp, 'When the next version replaced it. Null: it is the current one.'),
  },
  { title: 'AgentVersion', description: 'What an agent is told, or was told until it was changed.' },
);
export type AgentVersion = Static<typeof AgentVersion>;

export const listAgentVersions = defineOperation({
  subject: 'crm.api.agents.versions',
  http: { method: 'GET', path: '/agents/:agentId/versions' },
  access: { scope: 'agents:read' },
  summary: 'List the versions of an agent',
  description:
    'What the agent is told now, and what it was told before, newest first. A change of `instructions`, `tone`, ' +
    '`language`, `disclosure` or `handover_when` makes a version, and no other change does.',
  extension: true,
  request: { params: agentParams, query: Exact(paging()) },
  reply: Page(AgentVersion),
  errors: ['agent_not_found'],
});

/** The outcome of one agent in a selection. */
export const selectionOutcomes = ['selected', 'outranked', 'no_group_holds', 'no_groups', 'inactive'] as const;
export const SelectionOutcome = OneOf(selectionOutcomes, {
  title: 'AgentSelectionOutcome',
  description:
    '`outranked`: a group holds, but an agent with a lower priority number was selected. `inactive`: the agent is ' +
    'not active, so it cannot be selected.',
});

const EvaluatedCondition = Type.Object(
  {
    id: About(Uuid, 'The id of the condition.'),
    condition_type: Type.String({ description: 'What is compared.' }),
    operator: Type.String({ description: 'How it is compared.' }),
    value: Type.String({ description: 'With what it is compared.' }),
    ...ConditionHours,
    actual: Type.String({
      description:
        'What is compared with `value`. For `tag` and `message_contains`: the values that are there. Empty: none, or not ' +
        'known. What is not known never holds, also with `!=` and `not_in`.',
    }),
    holds: Type.Boolean({ description: 'Whether the comparison is true for the lead.' }),
  },
  { title: 'EvaluatedCondition', description: 'A condition, and whether it holds for the lead.' },
);

const EvaluatedConditionGroup = Type.Object(
  {
    id: About(Uuid, 'The id of the group.'),
    group_index: Type.Integer({ description: 'The place of the group among those of its agent.' }),
    holds: Type.Boolean({ description: 'Whether all its conditions hold.' }),
    conditions: Type.Array(EvaluatedCondition, { description: 'The conditions of the group.' }),
  },
  { title: 'EvaluatedConditionGroup', description: 'A group, and whether it holds for the lead.' },
);

const ConsideredAgent = Type.Object(
  {
    agent_id: About(Uuid, 'The id of the agent.'),
    name: Type.String({ description: 'The name of the agent.' }),
    priority: Type.Integer({ description: 'A lower number is chosen first.' }),
    is_default: Type.Boolean({ description: 'Whether it is the default agent.' }),
    outcome: SelectionOutcome,
    failed_condition: Nullable(EvaluatedCondition, {
      description:
        'For `no_group_holds`: the first condition of the first group that does not hold. Null for every other outcome.',
    }),
    condition_groups: Type.Array(EvaluatedConditionGroup, { description: 'The groups of the agent.' }),
  },
  { title: 'ConsideredAgent', description: 'An agent of the selection, and what came of it.' },
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
    condition_group: Nullable(EvaluatedConditionGroup, {
      description: 'For `conditions_hold`: the first group of the agent whose conditions all hold. Otherwise null.',
    }),
    considered: Type.Array(ConsideredAgent, {
      description: 'Every agent in the order of selection, with the outcome of each group and condition.',
    }),
  },
  { title: 'AgentSelection', description: 'The agent that a lead gets, and why.' },
);
export type AgentSelection = Static<typeof AgentSelection>;

const DescribedLead = Exact(
  {
    status: Type.Optional(Described(LeadStatus, { default: 'pending', description: 'Its status.' })),
    seller_id: Type.Optional(About(NullableUuid, 'Its responsible seller. Null: none.')),
    tags: Type.Optional(Type.Array(Tag, { maxItems: maxTags, default: [], description: 'Its tags.' })),
    first_contact: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether no session of the lead has ended yet.' }),
    ),
  },
  { title: 'DescribedLead', description: 'A lead that need not exist, to try conditions.' },
);

export const selectAgent = defineOperation({
  subject: 'crm.api.agents.select',
  http: { method: 'POST', path: '/agents/select' },
  access: { scope: 'agents:read' },
  summary: 'Find the agent that a lead gets',
  description:
    'The first active agent by priority that has a group whose conditions all hold, otherwise the default agent. The ' +
    'answer says why, and why not each other agent. The request changes nothing.',
  extension: true,
  request: {
    body: Exact(
      {
        lead_id: Type.Optional(About(Uuid, 'The lead that needs an agent.')),
        lead: Type.Optional(DescribedLead),
        message: Type.Optional(
          Text(4096, { description: 'What the lead wrote. Without it no `message_contains` condition holds.' }),
        ),
        language: Type.Optional(
          Type.String({
            format: 'locale',
            maxLength: 35,
            description: 'The language of the lead. Default: the locale of the store.',
          }),
        ),
        at: Type.Optional(About(Timestamp, 'The moment that `business_hours` conditions look at. Default: now.')),
      },
      { description: 'A lead, with exactly one of `lead_id` and `lead`, and what it wrote.' },
    ),
  },
  reply: AgentSelection,
  errors: ['lead_not_found'],
});

const GivenCondition = Exact(
  {
    condition_type: OneOf(conditionTypes, { title: 'ConditionType', description: conditionAbout }),
    operator: OneOf(conditionOperators, { title: 'ConditionOperator', description: operatorAbout }),
    value: Text(500, { description: 'With what it is compared.' }),
    hours: Type.Optional(hoursMembers.hours),
    timezone: Type.Optional(hoursMembers.timezone),
  },
  { title: 'GivenCondition', description: 'One comparison with a lead, its message or the time.' },
);
export type GivenCondition = Static<typeof GivenCondition>;

const GivenConditionGroup = Exact(
  {
    group_index: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'The place of the group. No two groups of an agent have the same.',
    }),
    logical_operator: Type.Optional(
      Described(OneOf(['AND'], { title: 'LogicalOperator', description: 'All conditions of the group must hold.' }), {
        default: 'AND',
      }),
    ),
    conditions: Type.Array(GivenCondition, {
      minItems: 1,
      maxItems: agentBounds.conditionsPerGroup,
      description: 'The conditions of the group.',
    }),
  },
  { title: 'GivenConditionGroup', description: 'Conditions that must hold together.' },
);

const agentMembers = {
  name: Text(200, { description: 'The name of the agent.' }),
  model: AgentModel,
  priority: Type.Integer({
    minimum: 0,
    maximum: agentBounds.greatestPriority,
    description: 'A lower number is chosen first.',
  }),
  is_active: Type.Boolean({ description: 'Whether the agent can be chosen.' }),
  is_default: Type.Boolean({ description: "Used when no agent's conditions hold. A store has one at most." }),
  voice_id: About(NullableText(200), 'The voice of audio replies, as its provider names it. Null: none.'),
  audio_response_enabled: Type.Boolean({ description: 'Replies with audio when the lead sends audio.' }),
  ...writing,
  tools: ToolNames,
  condition_groups: Type.Array(GivenConditionGroup, {
    maxItems: agentBounds.groups,
    description: 'OR between groups, AND within a group. They replace all groups that the agent has.',
  }),
};

const AgentToCreate = Exact(
  {
    name: agentMembers.name,
    model: Type.Optional(Described(AgentModel, { default: 'auto' })),
    priority: agentMembers.priority,
    is_active: Type.Optional(Described(agentMembers.is_active, { default: true })),
    is_default: Type.Optional(Described(agentMembers.is_default, { default: false })),
    voice_id: Type.Optional(agentMembers.voice_id),
    audio_response_enabled: Type.Optional(Described(agentMembers.audio_response_enabled, { default: false })),
    instructions: Type.Optional(writing.instructions),
    tone: Type.Optional(writing.tone),
    language: Type.Optional(writing.language),
    disclosure: Type.Optional(Described(writing.disclosure, { default: true })),
    handover_when: Type.Optional(writing.handover_when),
    tools: Type.Optional(Described(ToolNames, { default: [...toolNames] })),
    condition_groups: Type.Optional(agentMembers.condition_groups),
  },
  { description: 'The agent.' },
);

const AgentChanges = Type.Partial(Exact(agentMembers), {
  minProperties: 1,
  additionalProperties: false,
  description: 'What to change. Members that it leaves out stay as they are.',
});

const { name, model, tools } = agentMembers;

/** What decides about an agent's answers, in place of what the agent of a lead has, to try it before it is changed. */
export const AgentTrial = Type.Partial(Exact({ name, model, ...writing, tools }), {
  minProperties: 1,
  additionalProperties: false,
  title: 'AgentTrial',
  description: 'What is changed to try it. Members that it leaves out are those that the agent has now.',
});

export const createAgent = defineOperation({
  subject: 'crm.api.agents.create',
  http: { method: 'POST', path: '/agents', status: 201 },
  access: { scope: 'agents:write' },
  summary: 'Create an agent',
  description:
    'The agent is for a lead when all conditions of one of its `condition_groups` hold. `POST /agents/select` shows which ' +
    'agent a lead gets, and why. A store has one default agent at most: a second one is refused with 409 ' +
    '`default_agent_exists`.',
  extension: true,
  request: { body: AgentToCreate },
  reply: Agent,
  errors: ['default_agent_exists', 'seller_not_found'],
});

export const updateAgent = defineOperation({
  subject: 'crm.api.agents.update',
  http: { method: 'PATCH', path: '/agents/:agentId' },
  access: { scope: 'agents:write' },
  summary: 'Change an agent',
  description:
    'Members left out stay as they are. Condition groups are replaced as a whole. A change of what the agent is told makes ' +
    'a new `version`; the earlier ones stay readable.',
  extension: true,
  request: { params: agentParams, body: AgentChanges },
  reply: Agent,
  errors: ['agent_not_found', 'default_agent_exists', 'seller_not_found'],
});

/** The public list has only the active agents. */
export const listStoreAgents = defineOperation({
  subject: 'crm.platform.agents.list',
  http: { method: 'GET', path: '/agents/all' },
  access: { role: 'seller' },
  summary: 'List the agents of the store, active or not',
  description: 'Ordered by `priority` (lowest number first), then by id.',
  request: { query: Exact(paging()) },
  reply: Page(Agent),
});

/** As `createAgent`, for a gateway of 0.2.0 beside this version. */
export const createStoreAgent = defineOperation({
  subject: 'crm.platform.agents.create',
  access: { role: 'manager' },
  summary: createAgent.summary,
  request: createAgent.request,
  reply: Agent,
  errors: createAgent.errors,
});

/** As `updateAgent`, for a gateway of 0.2.0 beside this version. */
export const updateStoreAgent = defineOperation({
  subject: 'crm.platform.agents.update',
  access: { role: 'manager' },
  summary: updateAgent.summary,
  request: updateAgent.request,
  reply: Agent,
  errors: updateAgent.errors,
});

export const agentOperations = {
  listAgents,
  getAgent,
  listAgentVersions,
  selectAgent,
  createAgent,
  updateAgent,
  listStoreAgents,
  createStoreAgent,
  updateStoreAgent,
} as const;
