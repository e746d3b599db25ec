import { accessChangedSubject } from '@mostrador/contracts';
import { isConnected, type NatsConnection } from '@mostrador/kit/clients/nats';
import type { AccessDirectory } from './access-directory.ts';

/**
 * Notices that keys or stores changed, between all gateways. A hint: a notice that is lost costs half a second, until
 * the next poll.
 */
export type AccessNotices = { announce(): void };

/** Has the directory look for changes at every notice. */
export function createAccessNotices(nats: NatsConnection, directory: Pick<AccessDirectory, 'refresh'>): AccessNotices {
  nats.subscribe(accessChangedSubject, { callback: () => void directory.refresh() });
  return {
    announce() {
      if (isConnected(nats)) nats.publish(accessChangedSubject);
    },
  };
}
