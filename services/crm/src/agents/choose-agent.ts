import type { Agent, AgentSelection, Lead } from '@mostrador/contracts';

type Considered = AgentSelection['considered'][number];
type Conditions = Agent['condition_groups'][number]['conditions'];

/** The members of an agent that decide its selection. */
export type Candidate = Pick<Agent, 'id' | 'name' | 'priority' | 'is_active' | 'is_default' | 'condition_groups'>;

/** The members of a lead that decide the selection. */
export type Subject = Pick<Lead, 'status'>;

export type Choice<A extends Candidate> = Omit<AgentSelection, 'agent'> & { readonly agent: A | null };

/**
 * Chooses the agent of a lead: the first active agent by priority (ties by id) that has a group whose conditions all
 * hold, else the default agent if it is active, else none. The result explains the outcome of every candidate.
 */
export function chooseAgent<A extends Candidate>(candidates: readonly A[], lead: Subject): Choice<A> {
  const weighed = candidates
    .filter(({ is_active, is_default }) => is_active || is_default)
    .sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))
    .map((agent) => ({ agent, groups: agent.condition_groups.map((group) => weighGroup(group, lead)) }));

  const matching = weighed.find(({ agent, groups }) => agent.is_active && groups.some(({ holds }) => holds));
  const chosen = matching ?? weighed.find(({ agent }) => agent.is_active && agent.is_default);
  return {
    agent: chosen?.agent ?? null,
    reason: matching ? 'conditions_hold' : chosen ? 'default' : 'no_agent',
    considered: weighed.map(({ agent, groups }) => ({
      agent_id: agent.id,
      name: agent.name,
      priority: agent.priority,
      is_default: agent.is_default,
      outcome: outcomeOf(agent, groups, agent === chosen?.agent),
      condition_groups: groups,
    })),
  };
}

function weighGroup({ id, group_index, conditions }: Agent['condition_groups'][number], lead: Subject) {
  const weighed = conditions.map((condition) => weighCondition(condition, lead));
  // The API rejects an empty group. Without this check, one would hold for every lead.
  return { id, group_index, holds: weighed.length > 0 && weighed.every(({ holds }) => holds), conditions: weighed };
}

function weighCondition({ id, condition_type, operator, value }: Conditions[number], lead: Subject) {
  const actual = lead.status;
  const known = condition_type === 'lead_status' && operator === '=';
  return { id, condition_type, operator, value, actual, holds: known && actual === value };
}

function outcomeOf(agent: Candidate, groups: Considered['condition_groups'], chosen: boolean): Considered['outcome'] {
  if (chosen) return 'selected';
  if (!agent.is_active) return 'inactive';
  if (groups.length === 0) return 'no_groups';
  return groups.some(({ holds }) => holds) ? 'outranked' : 'no_group_holds';
}
