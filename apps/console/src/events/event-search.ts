import type { EventType } from '../api/platform.ts';
import { eventTypes } from './event-types.ts';

/** What the address of the event log keeps. `type` is a type, or what several types are about, such as `lead`. */
export type EventSearch = {
  readonly type?: string | undefined;
  readonly entity?: string | undefined;
  readonly event?: string | undefined;
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isId = (text: unknown): text is string => typeof text === 'string' && uuid.test(text);

export const readEventSearch = ({ type, entity, event }: Record<string, unknown>): EventSearch => ({
  type: typeof type === 'string' && typesOf(type) ? type : undefined,
  entity: isId(entity) ? entity : undefined,
  event: isId(event) ? event : undefined,
});

/** The types that a filter lets through. Undefined: there are none of this name. */
export function typesOf(filter: string): readonly EventType[] | undefined {
  const types = eventTypes.filter((type) => type === filter || type.startsWith(`${filter}.`));
  return types.length > 0 ? types : undefined;
}
