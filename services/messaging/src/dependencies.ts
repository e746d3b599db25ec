import type { EgressOfStores } from '@mostrador/kit/clients/egress';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Relay } from '@mostrador/kit/outbox/outbox';
import type { ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { ListTotals } from '@mostrador/totals';
import type { OpenStoreChannel } from './channels/providers.ts';
import type { DeliveryNotices } from './delivery/delivery-notices.ts';
import type { DeliveryLimits } from './delivery/limits.ts';
import type { Fence } from './delivery/shard.repository.ts';
import type { InboundProcessor } from './inbound/inbound-processor.ts';
import type { OutcomeWaiters } from './messages/outcome-waiters.ts';
import type { RateCard } from './prices/rate-card.ts';

/** The lists in `list_rows` of this schema (migrations/0040-list-rows.sql). */
export const messagingLists = ['conversations', 'messages'] as const;
export type MessagingTotals = ListTotals<(typeof messagingLists)[number]>;

/** As whom the telephone of a sandbox writes, and how long its address works. */
export type Telephone = { readonly writesAs: 'off' | 'own' | 'any'; readonly days: number };

/** Sends the messages of shards in this process. Between the requests of a shard's step it only ends what it began. */
export type Pump = {
  /**
   * Sends what is due in the shard, or becomes due, until `untilMs` (epoch ms) or until the signal aborts. The caller has
   * taken the shard. The answer: whether there was work, and whether another pump has the shard now.
   */
  run(fence: Fence, untilMs: number, signal: AbortSignal): Promise<{ worked: boolean; replaced: boolean }>;
  /** Waits for the calls under way, and records them. */
  stop(): Promise<void>;
};

/** The dependencies of the handlers. `main.ts` builds them. */
export type Dependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly rpc: RpcClient;
  readonly listTotals: MessagingTotals;
  readonly relay: Pick<Relay, 'nudge' | 'isBehind'>;
  readonly outcomes: OutcomeWaiters;
  readonly inbound: Pick<InboundProcessor, 'ingest'>;
  readonly vault: Vault;
  readonly openChannel: OpenStoreChannel;
  readonly egress: EgressOfStores;
  readonly circuit: ProviderCircuit;
  readonly limits: DeliveryLimits;
  readonly notices: DeliveryNotices;
  readonly pump: Pump;
  readonly telephone: Telephone;
  /** What messages cost. Undefined: the server has no rate file. */
  readonly rateCard: RateCard | undefined;
  /** The gateway's public URL, without a trailing slash. */
  readonly publicUrl: string;
};
