import {
  agentBounds,
  type Condition,
  type conditionOperators,
  type conditionTypes,
  faultsOfHours,
  type GivenCondition,
  leadStatuses,
  type ValidationFault,
} from '@mostrador/contracts';
import { formatDetails, formats } from '@mostrador/kit/schema/formats';
import { fold } from '../knowledge/folding.ts';

type ConditionType = (typeof conditionTypes)[number];
type Operator = (typeof conditionOperators)[number];

const ofOneValue: readonly Operator[] = ['=', '!='];
const ofLists: readonly Operator[] = [...ofOneValue, 'in', 'not_in'];
const ofSets: readonly Operator[] = [...ofLists, 'contains'];

const operators: Readonly<Record<ConditionType, readonly Operator[]>> = {
  lead_status: ofLists,
  seller: ofLists,
  tag: ofSets,
  message_contains: ofSets,
  language: ofLists,
  first_contact: ofOneValue,
  business_hours: ofOneValue,
};

/** How a condition of this type can compare. An unknown type has no operators. */
export const operatorsOf = (type: string): readonly string[] =>
  Object.hasOwn(operators, type) ? operators[type as ConditionType] : [];

/** The values of a condition: several, separated by commas, with `in` and `not_in`. */
export const valuesOf = ({ operator, value }: Pick<Condition, 'operator' | 'value'>): string[] =>
  operator === 'in' || operator === 'not_in' ? value.split(',').map((one) => one.trim()) : [value];

const oneOf = (allowed: readonly string[]) => (value: string) =>
  allowed.includes(value) ? undefined : `must be one of: ${allowed.join(', ')}`;

/** What is wrong with one value of a condition; undefined: nothing. */
const faultOfValue: Readonly<Record<ConditionType, (value: string) => string | undefined>> = {
  lead_status: oneOf(leadStatuses),
  seller: (value) =>
    value === 'none' || formats.uuid.test(value) ? undefined : 'must be the id of a seller, or `none`',
  tag: (value) =>
    value.length <= 40 && !value.includes(',') ? undefined : 'must be a tag: at most 40 characters, without commas',
  message_contains: (value) =>
    fold(value).trim() === '' ? 'must contain a character that is not an accent' : undefined,
  language: (value) => (formats.locale(value) ? undefined : formatDetails.locale),
  first_contact: oneOf(['true', 'false']),
  business_hours: oneOf(['open', 'closed']),
};

type Groups = readonly { readonly conditions: readonly GivenCondition[] }[];

/** What the schema does not express of the conditions in a request. */
export function faultsOfConditions(groups: Groups): ValidationFault[] {
  const faults = groups.flatMap(({ conditions }, group) =>
    conditions.flatMap((condition, place) => faultsOf(condition, `#/condition_groups/${group}/conditions/${place}`)),
  );
  const isTooLong = Buffer.byteLength(JSON.stringify(groups)) > agentBounds.conditionBytes;
  const kib = agentBounds.conditionBytes / 1024;
  return isTooLong
    ? [...faults, { pointer: '#/condition_groups', detail: `must be at most ${kib} KiB of JSON` }]
    : faults;
}

function faultsOf(condition: GivenCondition, pointer: string): ValidationFault[] {
  const { condition_type: type, operator, hours, timezone } = condition;
  const allowed = operatorsOf(type);
  if (!allowed.includes(operator)) {
    return [{ pointer: `${pointer}/operator`, detail: `must be one of: ${allowed.join(', ')}` }];
  }
  const values = valuesOf(condition);
  const detail = values.includes('') ? 'must be values separated by commas' : firstFault(values, faultOfValue[type]);
  return [
    ...(detail ? [{ pointer: `${pointer}/value`, detail }] : []),
    ...faultsOfOwnHours({ type, hours, timezone }, pointer),
  ];
}

function firstFault(values: readonly string[], faultOf: (value: string) => string | undefined): string | undefined {
  for (const value of values) {
    const fault = faultOf(value);
    if (fault) return fault;
  }
  return undefined;
}

function faultsOfOwnHours(
  { type, hours, timezone }: Pick<GivenCondition, 'hours' | 'timezone'> & { type: ConditionType },
  pointer: string,
): ValidationFault[] {
  if (type !== 'business_hours') {
    return Object.entries({ hours, timezone })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => ({ pointer: `${pointer}/${name}`, detail: 'is only for `business_hours`' }));
  }
  if (hours) return faultsOfHours(hours, `${pointer}/hours`);
  return timezone === undefined ? [] : [{ pointer: `${pointer}/timezone`, detail: 'needs `hours`' }];
}

/** The sellers that conditions name, in small letters. */
export const sellersOf = (groups: readonly { readonly conditions: readonly Omit<Condition, 'id'>[] }[]): string[] => [
  ...new Set(
    groups
      .flatMap(({ conditions }) => conditions)
      .filter(({ condition_type }) => condition_type === 'seller')
      .flatMap(valuesOf)
      .filter((value) => value !== 'none')
      .map((id) => id.toLowerCase()),
  ),
];
