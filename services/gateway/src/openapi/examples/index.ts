import type { Operation } from '@mostrador/contracts';
import { agentExamples } from './agents.ts';
import { assistantExamples } from './assistant.ts';
import { crmExamples } from './crm.ts';
import { eventExamples } from './events.ts';
import type { Example } from './example.ts';
import { messagingExamples } from './messaging.ts';
import { schedulingExamples } from './scheduling.ts';
import { storeExamples } from './store.ts';
import { webhookExamples } from './webhooks.ts';

const examples: ReadonlyMap<Operation, Example> = new Map([
  ...schedulingExamples,
  ...crmExamples,
  ...agentExamples,
  ...messagingExamples,
  ...webhookExamples,
  ...storeExamples,
  ...eventExamples,
  ...assistantExamples,
]);

/** The example of an operation. A test finds operations without one. */
export const exampleOf = (operation: Operation): Example | undefined => examples.get(operation);
