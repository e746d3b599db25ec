import { feedPreviousMembers, type ValidationFault, type WebhookFilter } from '@mostrador/contracts';
import { compile } from '@mostrador/kit/schema/compile';
import type { TSchema } from '@sinclair/typebox';
import type { EndpointSettings } from './endpoint.ts';

/** Whether one value of the member can be compared: it is no list and no object. */
const isScalar = ({ type }: TSchema): boolean => [type].flat().every((word) => word !== 'array' && word !== 'object');

/**
 * What is wrong with the filters of an endpoint. Pure.
 *
 * @param areGiven the request has the filters, and not only other event types
 */
export function faultsOfFilters(
  { filters, event_types }: Pick<EndpointSettings, 'filters' | 'event_types'>,
  areGiven: boolean,
): ValidationFault[] {
  return (filters ?? []).flatMap((filter, index) => {
    const pointer = `#/filters/${index}`;
    if (event_types !== null && !event_types.includes(filter.type)) {
      return areGiven
        ? [{ pointer: `${pointer}/type`, detail: 'must be one of `event_types`' }]
        : [{ pointer: '#/event_types', detail: 'must have every type of `filters`' }];
    }
    return areGiven ? faultsOf(filter, pointer) : [];
  });
}

function faultsOf({ type, member, value }: WebhookFilter, pointer: string): ValidationFault[] {
  const members = feedPreviousMembers(type);
  const schema = Object.hasOwn(members, member) ? members[member] : undefined;
  if (!schema) {
    return [{ pointer: `${pointer}/member`, detail: `must be one of: ${Object.keys(members).join(', ')}` }];
  }
  if (value === undefined) return [];
  if (!isScalar(schema)) {
    const detail = 'must be left out: the member is a list or an object, so only any change of it can be chosen';
    return [{ pointer: `${pointer}/value`, detail }];
  }
  if (typeof value === 'object' && value !== null) {
    return [{ pointer: `${pointer}/value`, detail: 'must be a text, a number, a boolean or null' }];
  }
  return compile(schema)(value).map(({ detail }) => ({ pointer: `${pointer}/value`, detail }));
}
