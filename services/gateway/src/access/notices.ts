import { accessChangedSubject } from '@mostrador/contracts';
import type { NatsConnection } from '@mostrador/kit/rpc/nats';
import type { AccessDirectory } from './access-directory.ts';

/** Makes the directory poll for changes at every notice of accounts. A lost notice costs 500 ms, until the next poll. */
export function hearAccessNotices(nats: NatsConnection, directory: Pick<AccessDirectory, 'refresh'>): void {
  nats.subscribe(accessChangedSubject, { callback: () => void directory.refresh() });
}
