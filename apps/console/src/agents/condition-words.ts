import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import type { Agent } from './agent-queries.ts';

type Condition = Omit<Agent['condition_groups'][number]['conditions'][number], 'id'>;

export const leadStatuses = ['pending', 'in_progress', 'converted', 'lost'] as const;
export type LeadStatus = (typeof leadStatuses)[number];

const statusWords: Readonly<Record<LeadStatus, () => string>> = {
  pending: m.agents_status_pending,
  in_progress: m.agents_status_in_progress,
  converted: m.agents_status_converted,
  lost: m.agents_status_lost,
};

export const isLeadStatus = (value: string): value is LeadStatus => value in statusWords;
export const wordsOfStatus = (value: string): string => (isLeadStatus(value) ? statusWords[value]() : value);

/** A condition as a sentence. One of a later version is shown as it is. */
export function wordsOfCondition({ condition_type, operator, value }: Condition): string {
  if (condition_type !== 'lead_status' || operator !== '=') return `${condition_type} ${operator} ${value}`;
  return m.agents_condition_status({ status: wordsOfStatus(value) });
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
