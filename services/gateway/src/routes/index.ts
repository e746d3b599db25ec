import { agentRoutes } from './agents.ts';
import { crmRoutes } from './crm.ts';
import { eventRoutes } from './events.ts';
import { followupRoutes } from './followups.ts';
import { knowledgeRoutes } from './knowledge.ts';
import { messagingRoutes } from './messaging.ts';
import { reportRoutes } from './reports.ts';
import type { Route } from './route.ts';
import { schedulingRoutes } from './scheduling.ts';
import { storeRoutes } from './store.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every route below the prefix. */
export const routes: readonly Route[] = [
  ...schedulingRoutes,
  ...followupRoutes,
  ...crmRoutes,
  ...agentRoutes,
  ...knowledgeRoutes,
  ...messagingRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...reportRoutes,
  ...storeRoutes,
];
