import type { Log } from '@mostrador/kit/process/log';
import { isConnected, type NatsConnection } from '@mostrador/kit/rpc/nats';

/** All processes of this service publish here which queue may be due. */
const dueSubject = 'messaging.notice.due';

/** Hears that a queue may be due. Without a lead: those of the store. True: this process sends it. */
type Listener = (storeId: string, leadId?: string) => boolean;

/**
 * Tells the pump of a shard that a queue of it may be due, in this process or in another one. A notice can get lost: the
 * pump reads what is due with each request of its step.
 */
export type DeliveryNotices = {
  /** Call it after the commit. */
  publish(storeId: string, leadId?: string): void;
  listen(listener: Listener): () => void;
};

export function createDeliveryNotices({ nats, log }: { nats: NatsConnection; log: Log }): DeliveryNotices {
  const listeners = new Set<Listener>();
  const tell: Listener = (storeId, leadId) => {
    let isHeard = false;
    for (const listener of listeners) isHeard = listener(storeId, leadId) || isHeard;
    return isHeard;
  };
  nats.subscribe(dueSubject, {
    callback: (error, message) => {
      if (error) {
        log.error({ err: error, subject: dueSubject }, 'a subscription failed');
        return;
      }
      const [storeId = '', leadId] = message.string().split(' ');
      tell(storeId, leadId);
    },
  });
  return {
    publish(storeId, leadId) {
      if (tell(storeId, leadId) || !isConnected(nats)) return;
      nats.publish(dueSubject, leadId ? `${storeId} ${leadId}` : storeId);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
