import { type FeedNotice, feedNoticeSubject } from '@mostrador/contracts';
import { isConnected, type NatsConnection } from '@mostrador/kit/rpc/nats';

/** Publishes notices over this connection. A notice that cannot be sent now is dropped, and not sent late. */
export const notifyOver =
  (nats: NatsConnection) =>
  (notice: FeedNotice): void => {
    if (isConnected(nats)) nats.publish(feedNoticeSubject, JSON.stringify(notice));
  };
