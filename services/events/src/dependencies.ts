import type { FeedNotice } from '@mostrador/contracts';
import type { EgressOfStores } from '@mostrador/kit/clients/egress';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Relay } from '@mostrador/kit/outbox/outbox';
import type { ListTotals } from '@mostrador/totals';
import type { HostPlaces } from './webhooks/sending/host-places.ts';
import type { Outcome } from './webhooks/sending/next-move.ts';

/** The lists in `list_rows` of this schema (migrations/0008-list-rows.sql). */
export const eventsLists = ['webhook_deliveries', 'webhook_endpoints'] as const;
export type EventsTotals = ListTotals<(typeof eventsLists)[number]>;

/** The dependencies of this service's handlers. */
export type Dependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly listTotals: EventsTotals;
  /** Tells the processes that wait for events that feeds have grown. May get lost. */
  readonly notify: (notice: FeedNotice) => void;
  /** When an event is appended. Default: the clock of this process. */
  readonly now?: () => Date;
  readonly relay: Pick<Relay, 'nudge'>;
  readonly vault: Vault;
  /** Leads to webhook endpoints. */
  readonly webhookEgress: EgressOfStores;
  /** Hosts of a private network to which webhooks may be sent, also without TLS and to any port. */
  readonly webhookAllowHosts: readonly string[];
  /** How many attempts this process makes at each host. */
  readonly hostPlaces: HostPlaces;
  /** `webhookStepLimits` and `planLimits`, unless a test has smaller ones. */
  readonly limits: {
    readonly callMs: number;
    readonly leaseMs: number;
    /** Events of the feed that the planner looks through at once, and that a replay chooses or looks through. */
    readonly batch: number;
    /** No more deliveries are made while this many wait for their first attempt: the feed keeps the rest. */
    readonly mostUntried: number;
  };
  /** Counts an attempt for the metrics. */
  readonly onAttempt: (outcome: Outcome) => void;
  /** Makes the service look at once for events to plan and deliveries to send. */
  readonly nudgeSender: (storeId: string) => void;
};
