import { hoursOf, windowsOf } from '../booking/rules-draft.ts';
import type { components } from '../generated/platform.ts';
import { faultOfWindow, type Window } from '../settings/settings-draft.ts';
import type { Agent } from './agent-queries.ts';
import {
  type ConditionType,
  conditionRules,
  isList,
  knownCondition,
  type Operator,
  valuesOf,
} from './condition-types.ts';
import { toolNames } from './tools.ts';

/** An agent while a person edits it. Keys tell conditions apart that say the same. */
export type Draft = {
  readonly name: string;
  readonly model: Agent['model'];
  readonly priority: string;
  readonly isActive: boolean;
  readonly isDefault: boolean;
  readonly audio: boolean;
  readonly voice: string;
  readonly instructions: string;
  readonly tone: string;
  readonly language: string;
  readonly disclosure: boolean;
  readonly handoverWhen: string;
  readonly tools: Agent['tools'];
  readonly groups: readonly DraftGroup[];
};
export type DraftGroup = { readonly key: string; readonly conditions: readonly DraftCondition[] };
export type DraftCondition = {
  readonly key: string;
  readonly type: ConditionType;
  readonly operator: Operator;
  readonly value: string;
  /** Of `business_hours`: its own hours. Left out: those of the booking rules. */
  readonly own?: OwnHours | undefined;
};

export type AgentBody = components['schemas']['CreateAgentRequest'];
type GivenCondition = components['schemas']['GivenCondition'];
/** `timezone` left out: that of the store. */
type OwnHours = Pick<GivenCondition, 'timezone'> & { readonly windows: readonly Window[] };

export const mostGroups = 10;
export const mostConditions = 10;
export const greatestPriority = 1_000_000;
/** In characters. */
export const longest = { instructions: 8_000, handoverWhen: 2_000 } as const;

let made = 0;
const newKey = () => {
  made += 1;
  return `new-${made}`;
};
export const newCondition = (type: ConditionType = 'lead_status'): DraftCondition => ({
  ...{ key: newKey(), type },
  ...conditionRules[type].first,
});
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
  ...{ instructions: '', tone: '', language: '', disclosure: true, handoverWhen: '' },
  tools: [...toolNames],
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
  instructions: agent.instructions ?? '',
  tone: agent.tone ?? '',
  language: agent.language ?? '',
  disclosure: agent.disclosure,
  handoverWhen: agent.handover_when ?? '',
  tools: agent.tools,
  groups: agent.condition_groups.map(({ id, conditions }) => ({ key: id, conditions: conditions.flatMap(draftOfOne) })),
});

function draftOfOne({ id, condition_type, operator, value, hours, timezone }: Condition): DraftCondition[] {
  const known = knownCondition(condition_type, operator, value);
  return known
    ? [{ key: id, ...known, ...(hours && { own: { windows: windowsOf(hours), ...(timezone && { timezone }) } }) }]
    : [];
}

type Condition = Agent['condition_groups'][number]['conditions'][number];

/** Whether the editor knows every condition of the agent. Others come from a later version, and are not touched. */
export const isEditable = ({ condition_groups }: Agent): boolean =>
  condition_groups.every(({ conditions }) => conditions.every((condition) => draftOfOne(condition).length > 0));

/** The condition with another operator. What takes one of several values keeps the first of a list. Pure. */
export function withOperator(condition: DraftCondition, operator: Operator): DraftCondition {
  const { type, value } = condition;
  const isChosen = conditionRules[type].first.value !== '';
  if (!isChosen || !isList(condition.operator) || isList(operator)) return { ...condition, operator };
  const [first = conditionRules[type].first.value] = valuesOf(condition.operator, value);
  return { ...condition, operator, value: first };
}

export type DraftFaults = {
  readonly [Name in 'name' | 'priority' | 'instructions' | 'handoverWhen' | 'conditions']?: true;
};

/** How many characters there are, as the server counts them. Pure. */
export const lengthOf = (text: string): number => [...text.trim()].length;

export function faultsOf({ name, priority, instructions, handoverWhen, groups }: Draft): DraftFaults {
  const isNumber = /^\d{1,7}$/.test(priority.trim()) && Number(priority) <= greatestPriority;
  const lacksValue = groups.some(({ conditions }) => conditions.some((one) => isWithoutValue(one) || lacksHours(one)));
  return {
    ...(name.trim() === '' && { name: true }),
    ...(!isNumber && { priority: true }),
    ...(lengthOf(instructions) > longest.instructions && { instructions: true }),
    ...(lengthOf(handoverWhen) > longest.handoverWhen && { handoverWhen: true }),
    ...(lacksValue && { conditions: true }),
  };
}

export const isWithoutValue = ({ operator, value }: DraftCondition): boolean =>
  valuesOf(operator, value.trim()).every((one) => one === '');

const lacksHours = ({ own }: DraftCondition): boolean =>
  own !== undefined && (own.windows.length === 0 || own.windows.some((window) => faultOfWindow(window)));

/** What an edited agent changes: other members may have been changed by another person since it was opened. Pure. */
export function changesOf(first: Draft, draft: Draft): Partial<AgentBody> {
  const before: Partial<Record<string, unknown>> = bodyOf(first);
  const changed = Object.entries(bodyOf(draft)).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member]),
  );
  return Object.fromEntries(changed);
}

type AgentTrial = components['schemas']['AgentTrial'];

/** Of an agent in the form, what decides about its answers. Pure. */
export function trialOf(draft: Draft): Required<AgentTrial> {
  const { name, model, instructions, tone, language, disclosure, handover_when, tools } = bodyOf(draft);
  return { name, model, instructions, tone, language, disclosure, handover_when, tools };
}

/** What is sent of a new agent. A group without conditions would hold for no lead, so it is left out. */
export const bodyOf = (draft: Draft): Required<AgentBody> => ({
  name: draft.name.trim(),
  model: draft.model,
  priority: Number(draft.priority),
  is_active: draft.isActive,
  is_default: draft.isDefault,
  voice_id: draft.voice.trim() || null,
  audio_response_enabled: draft.audio,
  instructions: draft.instructions.trim() || null,
  tone: draft.tone.trim() || null,
  language: draft.language.trim() || null,
  disclosure: draft.disclosure,
  handover_when: draft.handoverWhen.trim() || null,
  tools: draft.tools,
  condition_groups: draft.groups
    .filter(({ conditions }) => conditions.length > 0)
    .map(({ conditions }, group_index) => ({
      group_index,
      logical_operator: 'AND',
      conditions: conditions.map(({ type, operator, value, own }) => ({
        ...{ condition_type: type, operator, value: valuesOf(operator, value.trim()).join(', ') },
        ...(own && { hours: hoursOf(own.windows), ...(own.timezone && { timezone: own.timezone }) }),
      })),
    })),
});
