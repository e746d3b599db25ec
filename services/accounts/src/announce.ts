import { accessChangedSubject } from '@mostrador/contracts';
import { isConnected, type NatsConnection } from '@mostrador/kit/rpc/nats';

/** Notices to every gateway that keys or stores changed. A lost notice costs 500 ms, until the next poll. */
export const announceOver = (nats: NatsConnection) => (): void => {
  if (isConnected(nats)) nats.publish(accessChangedSubject);
};
