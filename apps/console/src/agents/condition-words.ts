import { queries, sellersQuery } from '../api/queries.ts';
import { isLeadStatus, wordsOfStatus } from '../leads/words.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import type { Agent } from './agent-queries.ts';
import { type ConditionType, knownCondition, type Operator, valuesOf } from './condition-types.ts';

type Condition = Pick<Agent['condition_groups'][number]['conditions'][number], 'condition_type' | 'operator' | 'value'>;

export const typeWords: Readonly<Record<ConditionType, () => string>> = {
  lead_status: m.agents_type_status,
  seller: m.agents_type_seller,
  tag: m.agents_type_tag,
  message_contains: m.agents_type_message,
  language: m.agents_type_language,
  first_contact: m.agents_type_first_contact,
  business_hours: m.agents_type_hours,
};

const compared: Readonly<Partial<Record<Operator, () => string>>> = {
  '=': m.agents_is,
  '!=': m.agents_is_not,
  in: m.agents_is_in,
  not_in: m.agents_is_not_in,
};
const contained: typeof compared = {
  '=': m.agents_has,
  '!=': m.agents_has_not,
  in: m.agents_has_in,
  not_in: m.agents_has_not_in,
};
/** How a condition compares. */
export const wordsOfOperator = (type: ConditionType, operator: Operator): string =>
  (type === 'tag' || type === 'message_contains' ? contained : compared)[operator]?.() ?? operator;

const switches: Readonly<Record<string, () => string>> = {
  true: m.agents_first_contact_yes,
  false: m.agents_first_contact_no,
  open: m.agents_hours_open,
  closed: m.agents_hours_closed,
};

/** A value as people know it: a seller by name, when the sellers are known. */
export function wordsOfValue(type: ConditionType, value: string): string {
  if (type === 'lead_status' && isLeadStatus(value)) return wordsOfStatus(value);
  if (type === 'first_contact' || type === 'business_hours') return switches[value]?.() ?? value;
  if (type !== 'seller') return value;
  if (value === 'none') return m.leads_no_seller();
  return queries.getQueryData(sellersQuery.queryKey)?.find(({ id }) => id === value.toLowerCase())?.name ?? value;
}

/** A condition as a sentence. One of a later version is shown as it is. */
export function wordsOfCondition({ condition_type, operator, value }: Condition): string {
  const known = knownCondition(condition_type, operator, value);
  if (!known) return `${condition_type} ${operator} ${value}`;
  const { type } = known;
  if (type === 'first_contact' || type === 'business_hours') return wordsOfValue(type, known.value);
  const named = valuesOf(known.operator, known.value).map((one) => wordsOfValue(type, one));
  if (type === 'lead_status' && known.operator === '=') return m.agents_condition_status({ status: named[0] ?? '' });
  return m.agents_condition_words({
    what: typeWords[type](),
    how: wordsOfOperator(type, known.operator),
    value: listOf(
      named.map((one) => `“${one}”`),
      'disjunction',
    ),
  });
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
