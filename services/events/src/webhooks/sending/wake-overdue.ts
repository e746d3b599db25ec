import { wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { type NamedEndpoint, overdueEndpointRows } from '../endpoints/watch.repository.ts';

/** Endpoints of which no step has sent what is due. */
export const overdueEndpoints: OverdueRows<NamedEndpoint> = {
  name: 'webhook endpoints',
  ...overdueEndpointRows,
  wakeUpOf: ({ id }) => wakeWorkflow('webhook', id, 'overdue'),
};
