import { type FeedNotice, feedNoticeSubject } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import type { NatsConnection } from '@mostrador/kit/rpc/nats';
import type { Followers } from './followers.ts';

/** Passes the notices of the service `events` on to the requests that wait. */
export function hearFeedNotices(nats: NatsConnection, followers: Pick<Followers, 'hear'>, log: Log): void {
  nats.subscribe(feedNoticeSubject, {
    callback: (error, message) => {
      try {
        if (error) throw error;
        followers.hear(message.json<FeedNotice>());
      } catch (failure) {
        log.warn({ err: failure }, 'a notice about events was not understood');
      }
    },
  });
}
