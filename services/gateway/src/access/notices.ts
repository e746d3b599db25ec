import { accessChangedSubject } from '@mostrador/contracts';
import { isConnected, type NatsConnection } from '@mostrador/kit/clients/nats';
import type { AccessDirectory } from './access-directory.ts';

/** Notices between gateways that keys or stores changed. A lost notice costs 500 ms, until the next poll. */
export type AccessNotices = { announce(): void };

/** Makes the directory poll for changes at every notice. */
export function createAccessNotices(nats: NatsConnection, directory: Pick<AccessDirectory, 'refresh'>): AccessNotices {
  nats.subscribe(accessChangedSubject, { callback: () => void directory.refresh() });
  return {
    announce() {
      if (isConnected(nats)) nats.publish(accessChangedSubject);
    },
  };
}
