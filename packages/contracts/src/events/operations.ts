import { appendEvents, getEvent, listEvents } from './feed.ts';

export const eventsOperations = { listEvents, getEvent, appendEvents } as const;
