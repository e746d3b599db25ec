import type { OverdueRows } from '@mostrador/kit/delivery/overdue';
import { type OverdueEndpoint, takeOverdueEndpoints } from './due.repository.ts';
import { wakeEndpoint } from './wake-endpoint.ts';

/** Endpoints of which no step has sent what is due. */
export const overdueEndpoints: OverdueRows<OverdueEndpoint> = {
  name: 'webhook endpoints',
  take: takeOverdueEndpoints,
  wakeUpOf: ({ id }) => wakeEndpoint(id, 'overdue'),
};
