import type { components } from '../generated/platform.ts';
import { leadStatuses } from '../leads/words.ts';

type Given = components['schemas']['GivenCondition'];
export type ConditionType = Given['condition_type'];
export type Operator = Given['operator'];

type Rules = {
  readonly operators: readonly Operator[];
  /** What a new condition of the type compares with. */
  readonly first: { readonly operator: Operator; readonly value: string };
  /** The values that it can have. Left out: any text. */
  readonly values?: readonly string[];
};

const lists: readonly Operator[] = ['=', '!=', 'in', 'not_in'];

/** What a condition can compare, and how. The server has the rules. `contains` means the same as `=`, and is not offered. */
export const conditionRules: Readonly<Record<ConditionType, Rules>> = {
  lead_status: { operators: lists, first: { operator: '=', value: 'pending' }, values: leadStatuses },
  seller: { operators: lists, first: { operator: '=', value: 'none' } },
  tag: { operators: lists, first: { operator: '=', value: '' } },
  message_contains: { operators: lists, first: { operator: '=', value: '' } },
  language: { operators: lists, first: { operator: '=', value: '' } },
  first_contact: { operators: ['='], first: { operator: '=', value: 'true' }, values: ['true', 'false'] },
  business_hours: { operators: ['='], first: { operator: '=', value: 'open' }, values: ['open', 'closed'] },
};
export const conditionTypes = Object.keys(conditionRules) as ConditionType[];

const isType = (type: string): type is ConditionType => Object.hasOwn(conditionRules, type);

/** A condition of an agent as the editor knows it. Undefined: it comes from a later version. Pure. */
export function knownCondition(
  type: string,
  operator: string,
  value: string,
): { readonly type: ConditionType; readonly operator: Operator; readonly value: string } | undefined {
  if (!isType(type)) return undefined;
  const { operators, values } = conditionRules[type];
  // Two values have one word each, so "not" is the other one.
  const isSwitch = values?.length === 2;
  if (isSwitch && operator === '!=') {
    const other = values.find((one) => one !== value);
    return other === undefined ? undefined : { type, operator: '=', value: other };
  }
  const plain = operator === 'contains' && (type === 'tag' || type === 'message_contains') ? '=' : operator;
  const known = operators.find((one) => one === plain);
  if (!known || (values && !valuesOf(known, value).every((one) => values.includes(one)))) return undefined;
  return { type, operator: known, value };
}

export const isList = (operator: Operator): boolean => operator === 'in' || operator === 'not_in';

/** The values of a condition: several, separated by commas, with `in` and `not_in`. Pure. */
export const valuesOf = (operator: Operator, value: string): string[] =>
  isList(operator)
    ? value
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
    : [value];
