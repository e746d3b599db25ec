import type { LeadStatus } from '../api/platform.ts';
import type { components } from '../generated/platform.ts';
import { isLeadStatus } from '../leads/words.ts';
import type { Agent } from './agent-queries.ts';

/** An agent while a person edits it. Keys tell conditions apart that say the same. */
export type Draft = {
  readonly name: string;
  readonly model: Agent['model'];
  readonly priority: string;
  readonly isActive: boolean;
  readonly isDefault: boolean;
  readonly audio: boolean;
  readonly voice: string;
  readonly groups: readonly DraftGroup[];
};
export type DraftGroup = { readonly key: string; readonly conditions: readonly DraftCondition[] };
export type DraftCondition = { readonly key: string; readonly status: LeadStatus };

export type AgentBody = components['schemas']['CreateAgentRequest'];

export const mostGroups = 10;
export const mostConditions = 10;
export const greatestPriority = 1_000_000;

let made = 0;
const newKey = () => {
  made += 1;
  return `new-${made}`;
};
export const newCondition = (): DraftCondition => ({ key: newKey(), status: 'pending' });
export const newGroup = (): DraftGroup => ({ key: newKey(), conditions: [newCondition()] });

/** A new agent comes last in the order. */
export const emptyDraft = (agents: readonly Agent[]): Draft => ({
  name: '',
  model: 'auto',
  priority: String(Math.min(Math.max(0, ...agents.map(({ priority }) => priority)) + 10, greatestPriority)),
  isActive: true,
  isDefault: false,
  audio: false,
  voice: '',
  groups: [newGroup()],
});

export const draftOf = (agent: Agent): Draft => ({
  name: agent.name,
  model: agent.model,
  priority: String(agent.priority),
  isActive: agent.is_active,
  isDefault: agent.is_default,
  audio: agent.audio_response_enabled,
  voice: agent.voice_id ?? '',
  groups: agent.condition_groups.map(({ id, conditions }) => ({
    key: id,
    conditions: conditions.map((condition) => ({ key: condition.id, status: statusOf(condition.value) })),
  })),
});

const statusOf = (value: string): LeadStatus => (isLeadStatus(value) ? value : 'pending');

/** Whether the editor knows every condition of the agent. Others come from a later version, and are not touched. */
export const isEditable = ({ condition_groups }: Agent): boolean =>
  condition_groups.every(({ conditions }) =>
    conditions.every(
      ({ condition_type, operator, value }) =>
        condition_type === 'lead_status' && operator === '=' && isLeadStatus(value),
    ),
  );

export type DraftFaults = { readonly name?: true; readonly priority?: true };

export function faultsOf({ name, priority }: Draft): DraftFaults {
  const isNumber = /^\d{1,7}$/.test(priority.trim()) && Number(priority) <= greatestPriority;
  return { ...(name.trim() === '' && { name: true }), ...(!isNumber && { priority: true }) };
}

/** What the form does not edit. */
type Untouched = 'instructions' | 'tone' | 'language' | 'disclosure' | 'handover_when';

/** What is sent. A group without conditions would hold for no lead, so it is left out. */
export const bodyOf = (draft: Draft): Required<Omit<AgentBody, Untouched>> => ({
  name: draft.name.trim(),
  model: draft.model,
  priority: Number(draft.priority),
  is_active: draft.isActive,
  is_default: draft.isDefault,
  voice_id: draft.voice.trim() || null,
  audio_response_enabled: draft.audio,
  condition_groups: draft.groups
    .filter(({ conditions }) => conditions.length > 0)
    .map(({ conditions }, group_index) => ({
      group_index,
      logical_operator: 'AND',
      conditions: conditions.map(({ status }) => ({ condition_type: 'lead_status', operator: '=', value: status })),
    })),
});
