import { wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { OverdueRows } from '@mostrador/kit/step/overdue';
import {
  countOverdueEndpoints,
  longestOverdueEndpoint,
  type OverdueEndpoint,
  takeOverdueEndpoints,
} from '../endpoints/watch.repository.ts';

/** Endpoints of which no step has sent what is due. */
export const overdueEndpoints: OverdueRows<OverdueEndpoint> = {
  name: 'webhook endpoints',
  take: takeOverdueEndpoints,
  count: countOverdueEndpoints,
  longest: longestOverdueEndpoint,
  wakeUpOf: ({ id }) => wakeWorkflow('webhook', id, 'overdue'),
};
