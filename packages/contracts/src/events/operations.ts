import { appendEvents, getEvent, listEvents } from './feed.ts';
import { webhookOperations } from './webhooks.ts';

export const eventsOperations = { listEvents, getEvent, appendEvents, ...webhookOperations } as const;
