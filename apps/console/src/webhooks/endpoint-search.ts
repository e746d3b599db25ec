import type { WebhookDelivery } from '../api/platform.ts';

export const deliveryStatuses = [
  'pending',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly WebhookDelivery['status'][];

/** What the address of an endpoint's screen keeps: which deliveries it lists, and which one and which replay it shows. */
export type EndpointSearch = {
  readonly status?: WebhookDelivery['status'] | undefined;
  readonly delivery?: string | undefined;
  readonly replay?: string | undefined;
};

export const readEndpointSearch = ({ status, delivery, replay }: Record<string, unknown>): EndpointSearch => ({
  status: deliveryStatuses.find((known) => known === status),
  delivery: typeof delivery === 'string' ? delivery : undefined,
  replay: typeof replay === 'string' ? replay : undefined,
});
