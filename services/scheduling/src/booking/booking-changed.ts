import type { PublicEvent } from '@mostrador/kit/outbox/outbox';

/** The event when other times may be free: the rules have changed, or this service. */
export const bookingChanged = (storeId: string, serviceId: string | null = null): PublicEvent => ({
  ...{ kind: 'feed', type: 'booking.changed', entityId: storeId, etag: null, object: undefined },
  data: { service_id: serviceId },
});
