import { type FeedNotice, feedNoticeSubject } from '@mostrador/contracts';
import { createEgress } from '@mostrador/kit/clients/egress';
import type { Log } from '@mostrador/kit/process/log';
import type { Periodic } from '@mostrador/kit/process/periodic';
import type { NatsConnection } from '@mostrador/kit/rpc/nats';
import { overdueJob } from '@mostrador/kit/step/overdue';
import type { Dependencies } from '../dependencies.ts';
import { createHostPlaces } from './sending/host-places.ts';
import { createSender } from './sending/sender.ts';
import { overdueEndpoints } from './sending/wake-overdue.ts';

/** Where webhooks may be sent, from the settings `WEBHOOK_ALLOW_HOSTS` and `DNS_SERVERS`. */
export function webhookAddresses(
  setting = '',
  dnsServers?: string,
): Pick<Dependencies, 'webhookEgress' | 'webhookAllowHosts'> {
  return {
    webhookEgress: createEgress({ allowHosts: setting, plaintextHosts: setting, dnsServers }),
    webhookAllowHosts: setting
      .toLowerCase()
      .split(',')
      .map((host) => host.trim()),
  };
}

/**
 * The jobs of webhooks, and what they share with the handlers, for `Dependencies`. A notice of this service that a feed has grown
 * nudges the sender in each of its processes.
 */
export function webhookJobs(
  rest: Omit<Dependencies, 'nudgeSender' | 'hostPlaces'>,
  { nats, log, relay }: { nats: NatsConnection; log: Log; relay: Parameters<typeof overdueJob>[0]['relay'] },
): { readonly dependencies: Dependencies; readonly jobs: readonly Periodic[] } {
  const dependencies: Dependencies = {
    ...rest,
    hostPlaces: createHostPlaces(),
    nudgeSender: (storeId) => sender.nudge([storeId]),
  };
  const sender = createSender(dependencies, log);
  nats.subscribe(feedNoticeSubject, {
    callback: (_, message) => sender.nudge(Object.keys(message.json<FeedNotice>())),
  });
  const { systemDatabase } = rest;
  return { dependencies, jobs: [sender, overdueJob({ ...overdueEndpoints, systemDatabase, relay, log })] };
}
