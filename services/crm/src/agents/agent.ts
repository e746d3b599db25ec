import {
  type Agent,
  type AgentVersion,
  type Condition,
  type createAgent,
  type RequestOf,
  toolNames,
  type updateAgent,
} from '@mostrador/contracts';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { faultsOfConditions } from './conditions.ts';

/** The row of an agent, with its condition groups in the order of `group_index`. */
export type AgentRow = Omit<Agent, 'created_at' | 'updated_at'> & {
  readonly created_at: Date;
  readonly updated_at: Date;
};

type NewGroups = NonNullable<RequestOf<typeof createAgent>['body']['condition_groups']>;

type AgentChanges = RequestOf<typeof updateAgent>['body'];

/** The values of an agent that a create or an update writes. */
export type AgentContent = {
  readonly name: string;
  readonly model: Agent['model'];
  readonly priority: number;
  readonly is_active: boolean;
  readonly is_default: boolean;
  readonly voice_id: string | null;
  readonly audio_response_enabled: boolean;
  readonly instructions: string | null;
  readonly tone: string | null;
  readonly language: string | null;
  readonly disclosure: boolean;
  readonly handover_when: string | null;
  readonly tools: Agent['tools'];
  readonly condition_groups: readonly {
    readonly group_index: number;
    readonly conditions: readonly Omit<Condition, 'id'>[];
  }[];
};

export function newAgent(body: RequestOf<typeof createAgent>['body']): AgentContent {
  const { condition_groups = [] } = body;
  assertGroups(condition_groups);
  return {
    name: body.name,
    model: body.model ?? 'auto',
    priority: body.priority,
    is_active: body.is_active ?? true,
    is_default: body.is_default ?? false,
    voice_id: body.voice_id ?? null,
    audio_response_enabled: body.audio_response_enabled ?? false,
    instructions: body.instructions ?? null,
    tone: body.tone ?? null,
    language: body.language ?? null,
    disclosure: body.disclosure ?? true,
    handover_when: body.handover_when ?? null,
    tools: inOrder(body.tools ?? toolNames),
    condition_groups,
  };
}

/** The agent's values after the change, or null if nothing changes. */
export function changeAgent(row: AgentRow, changes: AgentChanges): AgentContent | null {
  const current = contentOf(row);
  const changed = contentOf({ ...current, ...changes });
  return JSON.stringify(changed) === JSON.stringify(current) ? null : changed;
}

/** Whether the change replaces the condition groups. */
export const groupsDiffer = (row: AgentRow, content: AgentContent): boolean =>
  JSON.stringify(contentOf(row).condition_groups) !== JSON.stringify(contentOf(content).condition_groups);

/** What the agent is told: the members of a version. */
export const writingOf = ({
  instructions,
  tone,
  language,
  disclosure,
  handover_when,
}: Pick<AgentContent, 'instructions' | 'tone' | 'language' | 'disclosure' | 'handover_when'>) => ({
  ...{ instructions, tone, language, disclosure, handover_when },
});

/** Whether the change makes a new version of the agent. */
export const writingDiffers = (row: AgentRow, content: AgentContent): boolean =>
  JSON.stringify(writingOf(row)) !== JSON.stringify(writingOf(content));

/** A canonical form with members in a fixed order and groups by index: equal contents are equal as JSON. */
function contentOf(agent: AgentContent): AgentContent {
  return {
    name: agent.name,
    model: agent.model,
    priority: agent.priority,
    is_active: agent.is_active,
    is_default: agent.is_default,
    voice_id: agent.voice_id,
    audio_response_enabled: agent.audio_response_enabled,
    ...writingOf(agent),
    tools: inOrder(agent.tools),
    condition_groups: agent.condition_groups
      .map(({ group_index, conditions }) => ({
        group_index,
        conditions: conditions.map(conditionOf),
      }))
      .sort((a, b) => a.group_index - b.group_index),
  };
}

const inOrder = (tools: readonly string[]): Agent['tools'] => toolNames.filter((name) => tools.includes(name));

const conditionOf = ({ condition_type, operator, value, hours, timezone }: Omit<Condition, 'id'>) => ({
  ...{ condition_type, operator, value },
  ...(hours && { hours: hours.map(({ weekday, from, to }) => ({ weekday, from, to })) }),
  ...(timezone !== undefined && { timezone }),
});

/** @throws AppError `validation_failed` for groups with the same index, and conditions that cannot be compared */
export function assertGroups(groups: NewGroups): void {
  const first = new Map<number, number>();
  const faults = groups.flatMap(({ group_index }, place) => {
    const earlier = first.get(group_index);
    if (earlier === undefined) first.set(group_index, place);
    return earlier === undefined
      ? []
      : [
          {
            pointer: `#/condition_groups/${place}/group_index`,
            detail: `must be unique, but group ${earlier} of the list has ${group_index} too`,
          },
        ];
  });
  const all = [...faults, ...faultsOfConditions(groups)];
  if (all.length > 0) throw validationFailed(all);
}

export type AgentVersionRow = Omit<AgentVersion, 'replaced_at'> & { readonly replaced_at: Date | null };

export const toAgentVersion = (row: AgentVersionRow): AgentVersion => ({
  version: row.version,
  ...writingOf(row),
  replaced_at: row.replaced_at && toTimestamp(row.replaced_at),
});

/** An agent as the API returns it. */
export function toAgent(row: AgentRow): Agent {
  return {
    id: row.id,
    name: row.name,
    model: row.model,
    priority: row.priority,
    is_active: row.is_active,
    is_default: row.is_default,
    voice_id: row.voice_id,
    audio_response_enabled: row.audio_response_enabled,
    ...writingOf(row),
    tools: row.tools,
    version: row.version,
    condition_groups: row.condition_groups,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

const idsOf = ({ id, is_active, is_default }: AgentRow) => ({ agent_id: id, is_active, is_default });
const shown = (row: AgentRow) => ({ kind: 'feed', entityId: row.id, etag: null, object: toAgent(row) }) as const;

/** The entries of the events about a new agent. */
export const agentCreated = (row: AgentRow): OutboxEntry[] => [
  { kind: 'event', type: 'crm.agent.created', data: idsOf(row) },
  { ...shown(row), type: 'agent.created', data: idsOf(row) },
];

/** The entries of the events about a changed agent. */
export const agentUpdated = (before: AgentRow, row: AgentRow): OutboxEntry[] => [
  { kind: 'event', type: 'crm.agent.updated', data: idsOf(row) },
  { ...shown(row), type: 'agent.updated', data: idsOf(row), before: toAgent(before) },
];
