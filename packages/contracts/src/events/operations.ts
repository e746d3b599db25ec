import { appendEvents, getEvent, listEvents } from './feed.ts';
import { fenceFeeds } from './restore.ts';
import { webhookOperations } from './webhooks.ts';

export const eventsOperations = { listEvents, getEvent, appendEvents, fenceFeeds, ...webhookOperations } as const;
