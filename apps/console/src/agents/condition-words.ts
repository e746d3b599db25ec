import { isLeadStatus, wordsOfStatus } from '../leads/words.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import type { Agent } from './agent-queries.ts';

type Condition = Omit<Agent['condition_groups'][number]['conditions'][number], 'id'>;

const wordsOf = (value: string): string => (isLeadStatus(value) ? wordsOfStatus(value) : value);

/** A condition as a sentence. One of a later version is shown as it is. */
export function wordsOfCondition({ condition_type, operator, value }: Condition): string {
  if (condition_type !== 'lead_status' || operator !== '=') return `${condition_type} ${operator} ${value}`;
  return m.agents_condition_status({ status: wordsOf(value) });
}

/** When an agent answers, in a sentence. */
export function wordsOfAgent({ condition_groups, is_default }: Pick<Agent, 'condition_groups' | 'is_default'>): string {
  const groups = condition_groups.map(({ conditions }) => listOf(conditions.map(wordsOfCondition), 'conjunction'));
  if (groups.length === 0) return is_default ? m.agents_when_default() : m.agents_when_never();
  const when = listOf(groups, 'disjunction');
  return is_default ? m.agents_when_or_default({ when }) : when;
}

const listOf = (texts: readonly string[], type: 'conjunction' | 'disjunction') =>
  new Intl.ListFormat(getLocale(), { type }).format(texts);
