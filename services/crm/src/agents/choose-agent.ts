import type { Agent, AgentSelection, BookingRules } from '@mostrador/contracts';
import { bookingHours } from '@mostrador/hours/booking-hours';
import { isOpenAt } from '@mostrador/hours/open-spans';
import { fold } from '../knowledge/folding.ts';
import { isSameTag } from '../leads/lead.ts';
import { operatorsOf, valuesOf } from './conditions.ts';

type Considered = AgentSelection['considered'][number];
type Condition = Agent['condition_groups'][number]['conditions'][number];

/** The members of an agent that decide its selection. */
export type Candidate = Pick<Agent, 'id' | 'name' | 'priority' | 'is_active' | 'is_default' | 'condition_groups'>;

/** What conditions are compared with. A condition about a member that is undefined does not hold: it is not known. */
export type Facts = {
  readonly status: string;
  /** Null: no seller is responsible. */
  readonly seller_id: string | null;
  readonly tags: readonly string[];
  readonly message?: string | undefined;
  /** A BCP 47 language tag. */
  readonly language?: string | undefined;
  readonly first_contact?: boolean | undefined;
  /** The moment of the selection, in epoch ms. */
  readonly at: number;
  /** The zone of the store. */
  readonly timezone?: string | undefined;
  /** The opening hours of the store. */
  readonly rules?: Pick<BookingRules, 'hours' | 'exceptions'> | undefined;
};

export type Choice<A extends Candidate> = Omit<AgentSelection, 'agent'> & { readonly agent: A | null };

/**
 * Chooses the agent of a lead: the first active agent by priority (ties by id) that has a group whose conditions all
 * hold, else the default agent if it is active, else none. The result explains the outcome of every candidate.
 */
export function chooseAgent<A extends Candidate>(candidates: readonly A[], facts: Facts): Choice<A> {
  const weighed = candidates
    .toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))
    .map((agent) => ({ agent, groups: agent.condition_groups.map((group) => weighGroup(group, facts)) }));

  const matching = weighed.find(({ agent, groups }) => agent.is_active && groups.some(({ holds }) => holds));
  const chosen = matching ?? weighed.find(({ agent }) => agent.is_active && agent.is_default);
  return {
    agent: chosen?.agent ?? null,
    reason: matching ? 'conditions_hold' : chosen ? 'default' : 'no_agent',
    condition_group: matching?.groups.find(({ holds }) => holds) ?? null,
    considered: weighed.map(({ agent, groups }) => {
      const outcome = outcomeOf(agent, groups, agent === chosen?.agent);
      return {
        agent_id: agent.id,
        name: agent.name,
        priority: agent.priority,
        is_default: agent.is_default,
        outcome,
        failed_condition: outcome === 'no_group_holds' ? firstFailed(groups) : null,
        condition_groups: groups,
      };
    }),
  };
}

function weighGroup({ id, group_index, conditions }: Agent['condition_groups'][number], facts: Facts) {
  const weighed = conditions.map((condition) => ({ ...condition, ...weigh(condition, facts) }));
  // The API rejects an empty group. Without this check, one would hold for every lead.
  return { id, group_index, holds: weighed.length > 0 && weighed.every(({ holds }) => holds), conditions: weighed };
}

const firstFailed = (groups: Considered['condition_groups']) =>
  groups.flatMap(({ conditions }) => conditions).find(({ holds }) => !holds) ?? null;

/** What is compared, and whether the comparison is true. An unknown type or operator never holds. */
function weigh(condition: Condition, facts: Facts): { actual: string; holds: boolean } {
  const { condition_type, operator } = condition;
  const compared = compare(condition, facts);
  if (!compared) return { actual: '', holds: false };
  const isKnown = operatorsOf(condition_type).includes(operator);
  const isNegated = operator === '!=' || operator === 'not_in';
  return { actual: compared.actual, holds: isKnown && compared.found !== isNegated };
}

type Compared = { readonly actual: string; readonly found: boolean };

/** Whether one of the condition's values is that of the facts. Undefined: the fact is not known. */
function compare(condition: Condition, facts: Facts): Compared | undefined {
  const values = valuesOf(condition);
  switch (condition.condition_type) {
    case 'lead_status':
      return one(values, facts.status);
    case 'seller':
      return one(values, facts.seller_id ?? 'none', (value, actual) => value.toLowerCase() === actual.toLowerCase());
    case 'tag':
      return those(values, (value) => facts.tags.some((tag) => isSameTag(tag, value)));
    case 'message_contains': {
      if (facts.message === undefined) return undefined;
      const text = plain(facts.message);
      return those(values, (value) => plain(value) !== '' && text.includes(plain(value)));
    }
    case 'language':
      return facts.language === undefined ? undefined : one(values, facts.language, isLanguage);
    case 'first_contact':
      return facts.first_contact === undefined ? undefined : one(values, String(facts.first_contact));
    case 'business_hours': {
      const open = isOpen(condition, facts);
      return open === undefined ? undefined : one(values, open ? 'open' : 'closed');
    }
    default:
      return undefined;
  }
}

const one = (
  values: readonly string[],
  actual: string,
  isSame = (value: string, other: string) => value === other,
): Compared => ({ actual, found: values.some((value) => isSame(value, actual)) });

function those(values: readonly string[], isThere: (value: string) => boolean): Compared {
  const there = values.filter(isThere);
  return { actual: there.join(', '), found: there.length > 0 };
}

/** Small letters without accents, with single spaces, as people type in a hurry. */
const plain = (text: string): string => fold(text).replace(/\s+/g, ' ').trim();

/** `pt` is every Portuguese, `pt-BR` only that of Brazil. */
const isLanguage = (value: string, actual: string): boolean =>
  `${actual.toLowerCase()}-`.startsWith(`${value.toLowerCase()}-`);

/** By the hours of the condition, or else of the store. Undefined: they or their zone are not known. */
function isOpen({ hours, timezone }: Condition, { rules, timezone: ofStore, at }: Facts): boolean | undefined {
  const own = hours ? { hours, exceptions: [] } : rules;
  const zone = timezone ?? ofStore;
  return own && zone !== undefined ? isOpenAt(bookingHours(own), zone, at) : undefined;
}

function outcomeOf(agent: Candidate, groups: Considered['condition_groups'], chosen: boolean): Considered['outcome'] {
  if (chosen) return 'selected';
  if (!agent.is_active) return 'inactive';
  if (groups.length === 0) return 'no_groups';
  return groups.some(({ holds }) => holds) ? 'outranked' : 'no_group_holds';
}
