import { m } from '../paraglide/messages.js';
import type { AgentSelection } from './agent-queries.ts';

/** Why an agent answers, after its name. */
export const selectionReasons: Readonly<Record<AgentSelection['reason'], () => string>> = {
  conditions_hold: m.agents_reason_conditions_hold,
  default: m.agents_reason_default,
  no_agent: m.agents_reason_no_agent,
};

/** What came of an agent in a selection. */
export const selectionOutcomes: Readonly<Record<AgentSelection['considered'][number]['outcome'], () => string>> = {
  selected: m.agents_outcome_selected,
  outranked: m.agents_outcome_outranked,
  no_group_holds: m.agents_outcome_no_group_holds,
  no_groups: m.agents_outcome_no_groups,
  inactive: m.agents_outcome_inactive,
};
